import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CreateNodeOptions, parse, stringify, type ToStringOptions } from 'yaml'
import { parseSkills } from '../define-skill.ts'
import { loadSkillFrontMatter } from './read-skill-file.ts'
import { loadSkillsFromYaml, readSkillsFromYaml } from './read-skills.ts'

const name = fc.stringMatching(/^[a-z_]{1,12}$/)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', ' ', '\n', '#', ':', '-', "'", '"', '\\', '\t', '[') }),
  fc.constantFrom(
    'yes',
    'null',
    '1',
    '~',
    '<<',
    '2024-01-01',
    '0x1',
    '.nan',
    '---',
    '...',
    '!!x',
    '&a',
    '*a',
  ),
)
/** The library writes this key without quotes, which makes a merge key of it. */
const key = text.filter((text) => text !== '<<')
const label = text.filter((text) => text.trim() !== '')
/**
 * Without whole numbers of more digits than a number keeps, which are refused, and without -0, which
 * JSON writes as 0.
 */
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
  .map((value) => value + 0)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(key, fc.constantFrom('__proto__', 'constructor')), tie('value'), {
      maxKeys: 3,
    }),
  ),
}))
const state = fc.oneof(
  fc.record({ path: name, op: fc.constantFrom('eq', 'neq'), value }),
  fc.record({ path: name, op: fc.constant('in'), value: fc.array(value, { maxLength: 3 }) }),
  fc.record({ path: name, op: fc.constant('exists') }),
)
const entry = fc.oneof(name, fc.record({ tool: name }), fc.record({ state }))
const optional = {
  content: text,
  action_tool: name,
  precondition: fc.oneof(name, fc.array(entry, { maxLength: 4 })),
  importance: number,
  steps: fc.array(text, { maxLength: 3 }),
  source_tag: text,
}
const skill = fc.record({ label, ...optional }, { requiredKeys: ['label'] })
const skills = fc.array(skill, { maxLength: 5 })

/** In quotes, since the library writes some texts so that they mean something else in brackets. */
const flow = { collectionStyle: 'flow', defaultStringType: 'QUOTE_DOUBLE' } as const
const block = { collectionStyle: 'block', lineWidth: 0 } as const

/** Writes data so that it can be read back: the library's block texts lose some white space. */
function write(data: unknown, options: ToStringOptions & CreateNodeOptions = {}): string {
  return stringify(data, { blockQuote: false, ...options })
}

const codeNames = { action_tool: 'actionTool', source_tag: 'sourceTag' } as const

function inCode(source: object): object {
  return Object.fromEntries(
    Object.entries(source).map(([key, value]) => [
      codeNames[key as keyof typeof codeNames] ?? key,
      value,
    ]),
  )
}

describe('skills written as YAML', () => {
  it('load as the skills they were, in either shape and any style', () => {
    fc.assert(
      fc.property(skills, (sources) => {
        const expected = parseSkills(sources)
        for (const written of [
          write(sources),
          write({ skills: sources }),
          write({ '.note': [1, { a: null }], skills: sources }, { indentSeq: false }),
          write(sources, flow),
          write(sources, { defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' }),
          write(sources).replaceAll('\n', '\r\n'),
          JSON.stringify({ skills: sources }),
          JSON.stringify(sources, null, '\t'),
        ]) {
          expect(loadSkillsFromYaml(written)).toEqual(expected)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('load as the library reads them, where writing them loses something', () => {
    const styles = fc.constantFrom('BLOCK_LITERAL' as const, 'BLOCK_FOLDED' as const)
    fc.assert(
      fc.property(skills, styles, fc.nat(60), (sources, defaultStringType, lineWidth) => {
        const written = stringify(sources, { defaultStringType, lineWidth })
        expect(outcomeOf(() => loadSkillsFromYaml(written))).toEqual(
          outcomeOf(() => parseSkills(parse(written))),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('load as the same skills in the spelling of code', () => {
    fc.assert(
      fc.property(skills, (sources) => {
        const written = write(sources.map(inCode))
        expect(loadSkillsFromYaml(written)).toEqual(loadSkillsFromYaml(write(sources)))
      }),
      { numRuns: 60 },
    )
  })

  it('load the same whether entries are copied or shared by aliases', () => {
    const shared = fc
      .tuple(
        fc.array(entry, { minLength: 1, maxLength: 4 }),
        fc.array(fc.array(fc.nat(3)), { maxLength: 5 }),
      )
      .map(([entries, uses]) =>
        uses.map((positions, index) => ({
          label: `skill ${index}`,
          precondition: positions.map((position) => entries[position % entries.length]),
        })),
      )
    fc.assert(
      fc.property(shared, (sources) => {
        const aliased = write(sources, { aliasDuplicateObjects: true })
        const copied = write(sources, { aliasDuplicateObjects: false })
        expect(loadSkillsFromYaml(aliased)).toEqual(loadSkillsFromYaml(copied))
        expect(loadSkillsFromYaml(aliased)).toEqual(parseSkills(sources))
      }),
      { numRuns: 60 },
    )
  })

  it('load from front matter as they do from a list', () => {
    fc.assert(
      fc.property(skill, fc.string(), ({ label, content: _, ...own }, body) => {
        const written = `---\n${write({ name: label, metadata: { symfonic: own } })}---\n${body}`
        const { skill } = loadSkillFrontMatter(written)
        const content = body.trim() === '' ? {} : { content: body.trim() }
        expect([skill]).toEqual(parseSkills([{ ...own, ...content, label }]))
      }),
      { numRuns: 60 },
    )
  })

  it('stand where their positions say', () => {
    fc.assert(
      fc.property(skills, fc.constantFrom(block, flow), (sources, style) => {
        const named = sources.map((source, index) => ({ ...source, label: `label ${index}` }))
        const written = write(named, style)
        const lines = written.split('\n')
        const { skills, positions } = readSkillsFromYaml(written)
        for (const [at, { label, tools, predicates, actionTool }] of positions.entries()) {
          const textAt = (place: { line: number; column: number } | undefined) =>
            lines[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1)
          const loaded = skills[at]
          expect(textAt(label)).toMatch(new RegExp(`^"?label ${at}`))
          if (loaded?.actionTool !== undefined) {
            expect(textAt(actionTool)).toMatch(new RegExp(`^"?${loaded.actionTool}`))
          }
          expect(tools).toHaveLength(loaded?.precondition.tools.length ?? 0)
          for (const [position, tool] of (loaded?.precondition.tools ?? []).entries()) {
            expect(textAt(tools[position])).toMatch(new RegExp(`^({ ?)?("?tool"?: )?"?${tool}`))
          }
          expect(predicates).toHaveLength(loaded?.precondition.predicates.length ?? 0)
          for (const place of predicates) expect(textAt(place)).toMatch(/^(\{|(\{ )?"?state"?:.*)$/)
        }
      }),
      { numRuns: 60 },
    )
  })
})

/** What a load gives. The library may write a text so that it cannot be read, or is blank. */
function outcomeOf(load: () => unknown): unknown {
  try {
    return load()
  } catch {
    return 'refused'
  }
}
