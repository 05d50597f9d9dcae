import { afterEach, describe, expect, it, vi } from 'vitest'
import { Composer } from 'yaml'
import { yamlLimits } from './limits.ts'
import { parseText } from './parse-text.ts'

describe('parsing a text', () => {
  it('gives a tree with offsets, aliases and merge keys as written', () => {
    expect(parseText('a: &x [1, {b}]\n"<<": *x\n<<: ~\n')).toEqual({
      faults: [],
      root: {
        kind: 'mapping',
        offset: 0,
        pairs: [
          {
            key: 'a',
            keyOffset: 0,
            isMerge: false,
            value: {
              kind: 'list',
              offset: 6,
              anchor: 'x',
              items: [
                { kind: 'scalar', offset: 7, value: 1, source: '1' },
                {
                  kind: 'mapping',
                  offset: 10,
                  pairs: [
                    {
                      key: 'b',
                      keyOffset: 11,
                      isMerge: false,
                      value: { kind: 'scalar', offset: 12, value: null, source: '' },
                    },
                  ],
                },
              ],
            },
          },
          {
            key: '<<',
            keyOffset: 15,
            isMerge: false,
            value: { kind: 'alias', offset: 21, name: 'x' },
          },
          {
            key: '<<',
            keyOffset: 24,
            isMerge: true,
            value: { kind: 'scalar', offset: 28, value: null, source: '~' },
          },
        ],
      },
    })
  })

  it.each(['', '# nothing\n', '\n\n'])('of no content (%j) gives no tree and no fault', (text) => {
    expect(parseText(text)).toEqual({ faults: [] })
  })

  it('keeps the tree when only tags are refused, and says where they stand', () => {
    const { root, faults } = parseText('- !a x\n- !!str y\n- &b !!set\n  z: 1\n')
    expect(faults).toEqual([])
    expect(root).toMatchObject({
      items: [
        { offset: 5, value: 'x', refusedTagAt: 2 },
        { offset: 15, value: 'y' },
        { kind: 'mapping', anchor: 'b', refusedTagAt: 22 },
      ],
    })
    expect(root).not.toHaveProperty('items.1.refusedTagAt')
  })
})

describe('mistakes in the syntax', () => {
  it.each([
    ['a tab', 'a:\n\t- b\n', 3, 'Tabs are not allowed as indentation. Indent with spaces.'],
    [
      'a colon in a text',
      'a: b: c\n',
      3,
      'Put a text that holds a colon into quotes, or begin a new line.',
    ],
    ['a reserved character', 'a: @b\n', 3, 'Put the text into quotes.'],
    ['a backslash', 'a: "\\d"\n', 4, 'Double the backslash, or use single quotes.'],
    ['an open quote', 'a: "b\n', 6, 'Add what is missing.'],
    ['an open bracket', 'a: [b\n', 6, 'Begin it in the same column as its neighbours.'],
    ['a missing colon', 'a\nb: c\n', 0, 'Look for a missing colon or quote in the lines above.'],
    [
      'a list as a key',
      '[a]: b\n',
      0,
      'A key must be a plain text. Write a plain name before the colon.',
    ],
    [
      'an alias as a key',
      '&a a: b\n*a : c\n',
      8,
      'A key must be a plain text. Write a plain name before the colon.',
    ],
    ['two anchors', 'a: &b &c d\n', 6, 'Keep one of them.'],
    [
      'an anchor on an alias',
      'a: &b c\nd: &e *b\n',
      14,
      'Give anchors and tags to the value that the alias names.',
    ],
    ['an anchor with a colon', 'a: &b: c\n', 5, 'Write a name, and a space before the colon.'],
    ['a block in brackets', '[\n- a\n]\n', 2, 'Write what is inside brackets with brackets.'],
    [
      'a long key',
      `[? a, ${'b'.repeat(1_100)}: c]\n`,
      1_106,
      'Shorten the key, or look for a missing quote.',
    ],
    ['a stray bracket', 'a: [b] ]\n', 7, 'Check the quotes, brackets and indentation here.'],
    [
      'a directive',
      '%YAML 1.1\n---\na: yes\n',
      0,
      'Files are read as YAML 1.2 and take no directives. Remove this line.',
    ],
    ['another directive', '# c\n%TAG ! tag:x,2024:\n---\na\n', 4, 'Remove this line.'],
  ])('%s has a place and advice', (_, text, offset, message) => {
    const { root, faults } = parseText(text)
    expect(root).toBeUndefined()
    expect(faults).toContainEqual({
      offset,
      code: 'PREFLIGHT_YAML_SYNTAX',
      message: expect.stringContaining(message),
    })
  })

  it('are all found at once', () => {
    const { faults } = parseText('- "\\d"\n- @a\n- !!set b\n- [c\n- d: e: f\n- ok\n')
    expect(faults.map(({ offset }) => offset)).toEqual(
      expect.arrayContaining([3, 9, 14, expect.any(Number), expect.any(Number)]),
    )
    expect(faults.length).toBeGreaterThanOrEqual(5)
  })

  it('are told in one line each, however much of the text the library quotes', () => {
    const { faults } = parseText(`a: b\n} ${'x\n'.repeat(500)}`)
    expect(faults.length).toBeGreaterThan(0)
    for (const { message } of faults) expect(message).toMatch(/^[^\n]{1,200}$/)
  })

  it.each([
    ['a null character', 'a: b\0c', 4, 'U+0000'],
    ['a sign the lexer uses itself', 'a: \u001f', 3, 'U+001F'],
    ['an escape sequence for terminals', 'a: "\u001b[31m"', 4, 'U+001B'],
  ])('include %s', (_, text, offset, character) => {
    expect(parseText(text).faults).toEqual([
      {
        offset,
        code: 'PREFLIGHT_YAML_SYNTAX',
        message: expect.stringContaining(character),
      },
    ])
  })
})

describe('a second document', () => {
  it.each([
    ['---\na\n---\nb\n', 6],
    ['a\n...\nb\n', 6],
    ['a\n---\n---\n---\n', 2],
    ['---\n---\n', 4],
  ])('in %j is refused where it begins', (text, offset) => {
    const { root, faults } = parseText(text)
    expect(root).toBeUndefined()
    expect(faults).toMatchObject([{ offset, code: 'PREFLIGHT_YAML_DOCUMENTS' }])
  })

  it('does not hide the mistakes of the first', () => {
    expect(parseText('a: @b\n---\nc\n').faults.map(({ code }) => code)).toEqual([
      'PREFLIGHT_YAML_DOCUMENTS',
      'PREFLIGHT_YAML_SYNTAX',
    ])
  })
})

describe('limits', () => {
  it.each([
    ['brackets', (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['dashes', (depth: number) => `${'- '.repeat(depth)}a`],
    [
      'keys',
      (depth: number) => Array.from({ length: depth }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
    ],
  ])('of depth stop %s before the library recurses into them', (_, nested) => {
    expect(parseText(nested(yamlLimits.depth - 1)).faults).toEqual([])
    expect(parseText(nested(2_000)).faults).toMatchObject([
      { code: 'PREFLIGHT_YAML_TOO_LARGE', message: expect.stringContaining('64 levels') },
    ])
  })

  it('of tokens stop a file that is all signs', () => {
    expect(parseText('- \n'.repeat(yamlLimits.tokens / 2)).faults).toMatchObject([
      { code: 'PREFLIGHT_YAML_TOO_LARGE', message: expect.stringContaining('400000') },
    ])
  })

  it('of faults stop a file that is all mistakes', () => {
    expect(parseText(']'.repeat(300_000)).faults.length).toBeLessThan(1_100)
  })
})

describe('the YAML library', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('refuses the file when it has a defect of its own', () => {
    vi.spyOn(Composer.prototype, 'next').mockImplementation(() => {
      throw new RangeError('no\nroom')
    })
    expect(parseText('a: b')).toEqual({
      faults: [
        {
          offset: 0,
          code: 'PREFLIGHT_YAML_SYNTAX',
          message: 'The YAML library gave up (RangeError: no room). Simplify the file.',
        },
      ],
    })
  })

  it('leaves the stack traces of other errors as they were', () => {
    const limit = Error.stackTraceLimit
    try {
      Error.stackTraceLimit = 7
      parseText('a: b')
      parseText('a: "\\d"')
      vi.spyOn(Composer.prototype, 'next').mockImplementation(() => {
        throw new Error('defect')
      })
      parseText('a: b')
      expect(Error.stackTraceLimit).toBe(7)
    } finally {
      Error.stackTraceLimit = limit
    }
  })
})
