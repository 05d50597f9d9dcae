import { readKeyPath, writeKeyPath } from '../key-path.ts'
import { kindOf } from '../kind-of.ts'
import { readSkill } from '../read-skill.ts'
import type { Skill } from '../skill.ts'
import { onWire } from '../wire-names.ts'
import type { YamlFault } from './fault.ts'
import { fileError, orderFaults } from './fault-list.ts'
import { splitFrontMatter } from './front-matter.ts'
import { type PositionOf, positionsIn } from './position.ts'
import { documentFault, readableText, readDocument } from './read-document.ts'
import type { PlacedValue, TreeFault } from './resolve-tree.ts'
import { placeSkillFaults } from './skill-fault.ts'
import { type SkillPosition, skillPosition } from './skill-position.ts'

/** A SKILL.md file. Frozen, the front matter all the way down. */
export interface SkillFile {
  /** Everything between the fences, as plain data; `{}` when there is nothing. */
  readonly frontMatter: Readonly<Record<string, unknown>>
  /** The text after the closing fence, as it is. */
  readonly body: string
  /** Present when the file carries a rule-bearing skill under `metadata.symfonic`. */
  readonly skill?: Skill
}

/** What a SKILL.md file holds, right and wrong. Frozen. */
export interface SkillFileReading extends Partial<SkillFile> {
  /** Where `skill` stands; its `index` is 0. */
  readonly position?: SkillPosition
  /** Every fault, by line and column, with key paths from the top of the front matter. */
  readonly faults: readonly YamlFault[]
}

/**
 * Loads a SKILL.md file: YAML front matter between two lines of `---`, then text. Any front matter
 * that is a mapping is taken, whatever its keys. A skill with a precondition stands under
 * `metadata.symfonic`, the place the format leaves to its users, so that the file stays valid for
 * other readers:
 *
 * ```yaml
 * name: cancel-booking
 * description: How to cancel a booking.
 * metadata:
 *   symfonic:
 *     action_tool: cancel_booking
 *     precondition: [get_booking]
 * ```
 *
 * There it may have `action_tool`, `precondition`, `importance`, `steps` and `source_tag`, as in
 * `loadSkillsFromYaml`. Its label is the file's `name`, and its content the trimmed body. The keys
 * that make a rule (`action_tool`, `precondition`) are refused directly under `metadata` and at the
 * top, where no rule would come of them.
 *
 * @param options.fileName - Named in the error's message and details.
 * @throws PreflightError once, with every fault of the file in `details.faults`, as
 * `loadSkillsFromYaml` does; `PREFLIGHT_FRONT_MATTER_REQUIRED` when the file does not begin with a
 * line of `---`, when no other such line follows, or when what is between them is no mapping.
 */
export function loadSkillFrontMatter(text: string, options: { fileName?: string } = {}): SkillFile {
  const { faults, position: _, ...file } = readSkillFrontMatter(text)
  const { frontMatter, body } = file
  if (faults.length > 0 || frontMatter === undefined || body === undefined) {
    throw fileError(faults, options.fileName)
  }
  return Object.freeze({ ...file, frontMatter, body })
}

/**
 * Reads what `loadSkillFrontMatter` loads and returns the faults instead of throwing them. What has
 * a fault is absent: the skill, or the front matter, or both.
 *
 * @throws PreflightError `PREFLIGHT_TEXT_REQUIRED` for anything that is no string.
 */
export function readSkillFrontMatter(text: string): SkillFileReading {
  const readable = readableText(text)
  if ('fault' in readable) return frozenReading({}, [readable.fault])
  const positionInFile = positionsIn(readable.text)
  const parts = splitFrontMatter(readable.text)
  if ('missing' in parts) return frozenReading({}, [noFrontMatter(parts.missing, positionInFile)])

  const { yaml, offset, body } = parts
  const positionOf: PositionOf = (inYaml) => positionInFile(offset + inYaml)
  const { root, faults: treeFaults } = readDocument(yaml, positionOf)
  const { own, faults: ownFaults } = readOwnSkill(root, body, positionOf)
  const documentFaults = [...treeFaults, ...shapeFaults(root)].map((fault) =>
    documentFault(fault, positionOf),
  )
  const faults = [...documentFaults, ...ownFaults]
  const frontMatter = dataOf(root, treeFaults.length)
  return frozenReading(
    { ...(frontMatter && { frontMatter }), body, ...(faults.length === 0 && own) },
    faults,
  )
}

function dataOf(
  root: PlacedValue | undefined,
  faultCount: number,
): SkillFile['frontMatter'] | undefined {
  if (root === undefined) return faultCount === 0 ? Object.freeze({}) : undefined
  if (root.plain === null) return Object.freeze({})
  return root.isSound && root.entries !== undefined
    ? (root.plain as SkillFile['frontMatter'])
    : undefined
}

function frozenReading(
  read: Omit<SkillFileReading, 'faults'>,
  faults: readonly YamlFault[],
): SkillFileReading {
  return Object.freeze({ ...read, faults: orderFaults(faults) })
}

function noFrontMatter(missing: 'opening' | 'closing', positionOf: PositionOf): YamlFault {
  return {
    ...positionOf(0),
    keyPath: '',
    code: 'PREFLIGHT_FRONT_MATTER_REQUIRED',
    message:
      missing === 'opening'
        ? 'A skill file begins with a line of ---. Make it the first line, and end the front matter with another.'
        : 'The front matter that begins here does not end. Close it with a line of ---.',
  }
}

/** Keys that make a rule only under `metadata.symfonic`. */
const ruleKeys = ['action_tool', 'actionTool', 'precondition']

function shapeFaults(root: PlacedValue | undefined): TreeFault[] {
  if (root === undefined || root.plain === null) return []
  if (root.entries === undefined) {
    const message = `Front matter must be a mapping, got ${kindOf(root.plain)}. Write lines like "name: cancel-booking".`
    return [{ offset: root.offset, path: [], code: 'PREFLIGHT_FRONT_MATTER_REQUIRED', message }]
  }
  return [
    ...misplaced(root, [...ruleKeys, 'symfonic'], []),
    ...misplaced(root.entries.get('metadata')?.value, ruleKeys, ['metadata']),
  ]
}

function misplaced(value: PlacedValue | undefined, keys: readonly string[], path: string[]) {
  return keys.flatMap((key): TreeFault[] => {
    const entry = value?.entries?.get(key)
    if (entry === undefined) return []
    return [
      {
        offset: entry.keyOffset,
        path: [...path, key],
        code: 'PREFLIGHT_UNKNOWN_KEY',
        message: 'No rule would come of this key here. Put it under metadata: symfonic:.',
      },
    ]
  })
}

const ownPath = ['metadata', 'symfonic']

interface OwnReading {
  readonly own?: { readonly skill: Skill; readonly position: SkillPosition }
  readonly faults: readonly YamlFault[]
}

/** Reads what stands under `metadata.symfonic`, with the file's name as label and body as content. */
function readOwnSkill(
  root: PlacedValue | undefined,
  body: string,
  positionOf: PositionOf,
): OwnReading {
  const own = root?.entries?.get('metadata')?.value.entries?.get('symfonic')?.value
  if (own === undefined || own.plain === null) return { faults: [] }
  const given = new Map(own.entries)
  const faults = ['label', 'content'].flatMap((key): YamlFault[] => {
    const entry = given.get(key)
    if (entry === undefined) return []
    given.delete(key)
    const message = 'The name is the label, and the text below the content. Remove this key.'
    const keyPath = writeKeyPath([...ownPath, key])
    return [{ ...positionOf(entry.keyOffset), keyPath, code: 'PREFLIGHT_UNKNOWN_KEY', message }]
  })
  const name = root?.entries?.get('name')
  if (name !== undefined) given.set('label', name)
  const skill: PlacedValue = { ...own, entries: given }
  const reading = readSkill(
    own.entries === undefined ? own.plain : sourceOf(given, body),
    0,
    onWire,
  )
  if ('skill' in reading) {
    const position = skillPosition(skill, 0, positionOf)
    return { own: { skill: reading.skill, position }, faults }
  }
  const placed = placeSkillFaults(skill, reading.faults, positionOf)
  return { faults: [...faults, ...placed.map(inFrontMatter)] }
}

function sourceOf(given: NonNullable<PlacedValue['entries']>, body: string): unknown {
  const content = body.trim()
  const values = [...given].map(([key, { value }]) => [key, value.plain])
  return { ...Object.fromEntries(values), ...(content !== '' && { content }) }
}

/** The same fault in terms of the file, whose author has given no label and no list. */
function inFrontMatter({ line, column, usedAt, keyPath, message, code }: YamlFault): YamlFault {
  const path = readKeyPath(keyPath)
  return {
    line,
    column,
    ...(usedAt && { usedAt }),
    keyPath: writeKeyPath(path[0] === 'label' ? ['name'] : [...ownPath, ...path]),
    message: messages.get(code) ?? message,
    code,
  }
}

const ownKeys = onWire.names.filter((name) => name !== 'label' && name !== 'content').join(', ')

const messages = new Map<YamlFault['code'], string>([
  ['PREFLIGHT_VALUE_REQUIRED', 'The skill needs a label, which is the name of the file. Add it.'],
  ['PREFLIGHT_UNKNOWN_KEY', `No such key is known here. Use ${ownKeys}.`],
  ['PREFLIGHT_OBJECT_REQUIRED', `A skill is a mapping. Use ${ownKeys}.`],
])
