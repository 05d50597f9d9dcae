import { describe, expect, it } from 'vitest'
import { readFlags } from './flags.ts'

const names = ['kernel/stream', 'predicates/three-part']

describe('the flags of the bench', () => {
  it('ask for every suite, 40 rounds and leniency by default', () => {
    expect(readFlags([], names)).toEqual({
      ok: true,
      flags: { json: undefined, suite: undefined, rounds: 40, strict: false },
    })
  })

  it('are read in either spelling', () => {
    const argv = ['--suite=kernel/stream', '--rounds', '7', '--json', 'out.json', '--strict']
    expect(readFlags(argv, names)).toEqual({
      ok: true,
      flags: { json: 'out.json', suite: 'kernel/stream', rounds: 7, strict: true },
    })
  })

  it.each([
    { argv: ['--sweet', 'kernel/stream'], complaint: "'--sweet'" },
    { argv: ['kernel/stream'], complaint: "'kernel/stream'" },
    { argv: ['--json'], complaint: "'--json" },
    { argv: ['--json='], complaint: '--json has no file.' },
    { argv: ['--suite', 'kernel'], complaint: 'There is no suite "kernel".' },
    { argv: ['--suite', 'kernel'], complaint: 'kernel/stream, predicates/three-part' },
    { argv: ['--rounds', '0'], complaint: '--rounds is "0"' },
    { argv: ['--rounds', '1.5'], complaint: '--rounds is "1.5"' },
    { argv: ['--rounds', '1e3'], complaint: '--rounds is "1e3"' },
    { argv: ['--rounds', '10000'], complaint: '--rounds is "10000"' },
    { argv: ['--strict=yes'], complaint: "'--strict'" },
  ])('are refused as $argv, with the complaint $complaint and the usage', ({ argv, complaint }) => {
    const reading = readFlags(argv, names)
    expect(reading).toMatchObject({ ok: false, message: expect.stringContaining(complaint) })
    expect(reading).toMatchObject({ message: expect.stringMatching(/Use \[--suite NAME\].*\.$/) })
  })
})
