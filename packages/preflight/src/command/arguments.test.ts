import { describe, expect, it } from 'vitest'
import { readArguments } from './arguments.ts'

describe('readArguments', () => {
  it.each<[string[], object]>([
    [['--help'], { command: 'help' }],
    [['lint', '-h'], { command: 'help' }],
    [['--version', 'lint'], { command: 'version' }],
    [
      ['lint', 'a.yaml', 'b'],
      { command: 'lint', files: ['a.yaml', 'b'], tools: undefined, strict: false, json: false },
    ],
    [
      ['--json', 'lint', '--tools=x,y', '-', '--strict'],
      { command: 'lint', files: ['-'], tools: 'x,y', strict: true, json: true },
    ],
    [
      ['explain', 'a', '--state', 's.json', '--tool', 't', '--called', 'x, y,,'],
      {
        command: 'explain',
        files: ['a'],
        state: 's.json',
        tool: 't',
        called: ['x', 'y'],
        json: false,
      },
    ],
    [
      ['lint', 'a', '--json', '--json', '--', '--tools', '--tools'],
      {
        command: 'lint',
        files: ['a', '--tools', '--tools'],
        tools: undefined,
        strict: false,
        json: true,
      },
    ],
    [
      ['explain', 'a', '--state', '-'],
      { command: 'explain', files: ['a'], state: '-', tool: undefined, called: [], json: false },
    ],
    [
      ['render', 'a', '--state', 's.json'],
      { command: 'render', files: ['a'], state: 's.json', json: false },
    ],
    [
      ['render', '--state', 's.json', '--', '--odd.yaml'],
      { command: 'render', files: ['--odd.yaml'], state: 's.json', json: false },
    ],
  ])('reads %j', (args, request) => {
    expect(readArguments(args)).toEqual({ value: request })
  })

  it.each<[string[], string]>([
    [[], 'No command was given. Use one of lint, explain, render.'],
    [['lnt', 'a'], 'There is no command "lnt". Use one of lint, explain, render.'],
    [['__proto__'], 'There is no command "__proto__". Use one of lint, explain, render.'],
    [['lint'], '"lint" needs a file of skills. Name one, or - for the standard input.'],
    [['lint', 'a', '--colour'], "Unknown option '--colour'. See --help for what there is."],
    [['lint', 'a', '--tools'], "Option '--tools <value>' argument missing. See --help"],
    [['lint', 'a', '--strict=yes'], "Option '--strict' does not take an argument. See --help"],
    [['lint', 'a', '--tools', ''], '--tools needs a value. Add one.'],
    [['lint', 'a', '--tool', 'x'], '"lint" has no option --tool. Leave it out, or see --help.'],
    [['render', 'a', '--called', 'x'], '"render" has no option --called.'],
    [
      ['lint', 'a', '--tools', 'x', '--tools=y'],
      '--tools was given twice. Give it once, with commas between the names.',
    ],
    [['render', 'a', '--state', 's', '--state', 't'], '--state was given twice. Give it once.'],
    [['explain', 'a'], '"explain" needs --state with a JSON file of the state. Add it.'],
    [['render', 'a'], '"render" needs --state with a JSON file of the state. Add it.'],
    [
      ['render', '-', '--state', '-'],
      'The standard input cannot be both the skills and the state.',
    ],
    [
      ['lint', 'a', '-', '--tools', '-'],
      'The standard input cannot be both the skills and the tools.',
    ],
  ])('says what is wrong with %j', (args, problem) => {
    expect(readArguments(args)).toEqual({ problem: expect.stringContaining(problem) })
  })
})
