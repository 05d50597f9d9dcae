import { inertText } from '../inert-text.ts'
import type { KeyPath } from '../key-path.ts'
import type { YamlFault, YamlFaultCode } from './fault.ts'
import { yamlLimits } from './limits.ts'
import type { PositionOf } from './position.ts'
import { tagMessage } from './syntax-advice.ts'
import type {
  SyntaxAlias,
  SyntaxList,
  SyntaxMapping,
  SyntaxNode,
  SyntaxScalar,
} from './syntax-tree.ts'

/** A value and where it was written. */
export interface PlacedValue {
  /** As JSON would give it: texts, finite numbers, booleans, null, lists, records. Frozen. */
  readonly plain: unknown
  /** Where it begins; for an aliased value, where the alias stands. */
  readonly offset: number
  /** True when it was reached through an alias, so that what is inside it stands elsewhere. */
  readonly isAliased: boolean
  /** True when nothing was written, as after `label:`. */
  readonly isBlank: boolean
  /** False when there is a fault anywhere inside. */
  readonly isSound: boolean
  /** True when the value itself is at fault, so that `plain` is a stand-in for it. */
  readonly isStandIn: boolean
  /** Present for a list. */
  readonly items?: readonly PlacedValue[]
  /** Present for a mapping, merge keys applied. */
  readonly entries?: ReadonlyMap<string, PlacedEntry>
  /** Values in it, itself included and aliases followed. */
  readonly size: number
  /** Lists and mappings inside one another; 0 for a scalar. */
  readonly height: number
}

/** A key of a mapping, with its value. */
export interface PlacedEntry {
  readonly keyOffset: number
  readonly value: PlacedValue
  /** Where the alias stands through which a merge key brought the entry in. */
  readonly mergedAt?: number
}

/** A fault of a document. */
export interface TreeFault {
  readonly offset: number
  /** From the top of the document. */
  readonly path: KeyPath
  readonly code: YamlFault['code']
  readonly message: string
}

/** A document's values, and every fault found in them. */
export interface ResolvedTree {
  /** Absent when the document is too large, or has more faults than are reported. */
  readonly root?: PlacedValue
  readonly faults: readonly TreeFault[]
}

/**
 * Follows aliases, applies merge keys and makes plain values, each with its place. An anchored
 * value is made once and shared, so an alias costs nothing, however much it stands for; its size is
 * counted as if it were copied, since whoever reads the values will walk them all.
 *
 * Of the keys `<<` brings in, one that the mapping has itself wins, then the earlier source.
 *
 * @param positionOf - For messages that point to a second place.
 * @see SKILL-12
 */
export function resolveTree(tree: SyntaxNode, positionOf: PositionOf): ResolvedTree {
  const faults: TreeFault[] = []
  const anchors = new Map<string, AnchorSlot>()
  const path: (string | number)[] = []
  const maxCopies = Math.max(yamlLimits.copies, yamlLimits.copiesPerValue * writtenIn(tree))
  let values = 0
  let copies = 0
  let isOver = false

  function report(offset: number, code: YamlFaultCode, message: string): void {
    if (isOver) return
    faults.push({ offset, path: [...path], code, message })
    isOver = faults.length > yamlLimits.faults
  }

  function stop(offset: number, message: string): void {
    report(offset, 'PREFLIGHT_YAML_TOO_LARGE', message)
    isOver = true
  }

  function read(node: SyntaxNode): PlacedValue {
    if (isOver) return standIn(node.offset)
    if (node.kind === 'alias') return readAlias(node)
    count(1, node.offset)
    if (node.anchor === undefined) return readOwn(node)
    // Set before what is inside is read: there, too, the name means the latest anchor before it.
    const slot: AnchorSlot = {}
    anchors.set(node.anchor, slot)
    slot.value = readOwn(node)
    return slot.value
  }

  function readOwn(node: Exclude<SyntaxNode, SyntaxAlias>): PlacedValue {
    const value =
      node.kind === 'scalar'
        ? readScalar(node)
        : node.kind === 'list'
          ? readList(node)
          : readMapping(node)
    if (value.height > yamlLimits.depth) {
      stop(
        node.offset,
        `Lists and mappings are nested more than ${yamlLimits.depth} levels deep. Nest them less deeply.`,
      )
    }
    if (node.refusedTagAt === undefined) return value
    report(node.refusedTagAt, 'PREFLIGHT_YAML_TAG', tagMessage)
    return { ...value, isSound: false, isStandIn: true }
  }

  function readScalar({ offset, value, source }: SyntaxScalar): PlacedValue {
    if (typeof value === 'number' && !isExact(value, source)) {
      const got = inertText(source, 60)
      report(
        offset,
        'PREFLIGHT_YAML_NUMBER',
        Number.isFinite(value)
          ? `${got} has more digits than a number can keep. Put it into quotes to keep it as a text.`
          : `${got} is not a finite number. Write a finite one, or put it into quotes.`,
      )
      return standIn(offset)
    }
    return { ...placed(value, offset), isBlank: value === null && source === '' }
  }

  function readList({ offset, items: nodes }: SyntaxList): PlacedValue {
    const items = nodes.map((node, index) => inside(index, node))
    const plain = Object.freeze(items.map((item) => item.plain))
    return { ...placed(plain, offset), ...measured(items), items }
  }

  function readMapping({ offset, pairs }: SyntaxMapping): PlacedValue {
    const entries = new Map<string, PlacedEntry>()
    let sources: readonly PlacedValue[] = []
    let mergeOffset: number | undefined
    let isSound = true
    let isStandIn = false
    for (const { key, keyOffset, isMerge, value: node } of pairs) {
      const earlier = isMerge ? mergeOffset : entries.get(key)?.keyOffset
      const value = inside(key, node)
      if (earlier !== undefined) {
        reportTwice(key, keyOffset, earlier)
        isSound = false
      } else if (isMerge) {
        mergeOffset = keyOffset
        sources = value.items ?? [value]
        if (!value.isStandIn && sources.some((source) => source.entries === undefined)) {
          path.push(key)
          report(value.offset, 'PREFLIGHT_YAML_MERGE', mergeMessage)
          path.pop()
        }
        if (!value.isSound || sources.some((source) => source.entries === undefined)) {
          isSound = false
          // Keys may be missing because of it, so their absence says nothing.
          isStandIn = true
        }
      } else {
        entries.set(key, { keyOffset, value })
      }
    }
    for (const source of sources) merge(source, entries)
    const members = [...entries.values()].map(({ value }) => value)
    const measures = measured(members)
    return {
      ...placed(recordOf(entries), offset),
      ...measures,
      isSound: isSound && measures.isSound,
      isStandIn,
      entries,
    }
  }

  function readAlias({ offset, name }: SyntaxAlias): PlacedValue {
    const slot = anchors.get(name)
    if (slot?.value !== undefined) {
      copy(slot.value.size, offset)
      return { ...slot.value, offset, isAliased: true }
    }
    const anchor = inertText(name, 60)
    report(
      offset,
      'PREFLIGHT_YAML_ALIAS',
      slot === undefined
        ? `No anchor ${anchor} stands before this alias. Write & and the name at the value it means, further up.`
        : `This alias stands inside the value that ${anchor} names. Name another value.`,
    )
    return standIn(offset)
  }

  function inside(key: string | number, node: SyntaxNode): PlacedValue {
    path.push(key)
    const value = read(node)
    path.pop()
    return value
  }

  function count(size: number, offset: number): void {
    values += size
    if (values <= yamlLimits.values) return
    stop(
      offset,
      `The file holds more than ${yamlLimits.values} values, aliases counted as copies. Split it, or nest fewer aliases in one another.`,
    )
  }

  function copy(size: number, offset: number): void {
    count(size, offset)
    copies += size
    if (copies <= maxCopies || isOver) return
    stop(
      offset,
      `The aliases up to here stand for more than ${maxCopies} values, which is too many for what the file has written out. Share smaller values, or split the file.`,
    )
  }

  function reportTwice(key: string, offset: number, earlier: number): void {
    const { line, column } = positionOf(earlier)
    path.push(key)
    report(
      offset,
      'PREFLIGHT_YAML_DUPLICATE_KEY',
      `Key ${inertText(key, 60)} is already given at ${line}:${column}. Keep one of them${
        key === '<<' ? ', with a list of what to merge' : ''
      }.`,
    )
    path.pop()
  }

  const root = read(tree)
  return isOver ? { faults } : { root, faults }
}

/** Values as written: an alias is one, whatever it stands for. */
function writtenIn(node: SyntaxNode): number {
  let count = 1
  if (node.kind === 'list') for (const item of node.items) count += writtenIn(item)
  if (node.kind === 'mapping') for (const { value } of node.pairs) count += writtenIn(value)
  return count
}

/** What an anchor names; still empty while its value is being read. */
interface AnchorSlot {
  value?: PlacedValue
}

const mergeMessage =
  'A merge key takes a mapping or a list of mappings. Write <<: *name, and an anchor & at the mapping it means.'

function placed(plain: unknown, offset: number): PlacedValue {
  return {
    plain,
    offset,
    isAliased: false,
    isBlank: false,
    isSound: true,
    isStandIn: false,
    size: 1,
    height: 0,
  }
}

/** In place of a value that cannot be had. A text, so that it is not taken for an absent one. */
function standIn(offset: number): PlacedValue {
  return { ...placed('', offset), isSound: false, isStandIn: true }
}

function measured(
  members: readonly PlacedValue[],
): Pick<PlacedValue, 'size' | 'height' | 'isSound'> {
  let size = 1
  let height = 0
  let isSound = true
  for (const member of members) {
    size += member.size
    height = Math.max(height, member.height)
    isSound &&= member.isSound
  }
  return { size, height: height + 1, isSound }
}

function merge(source: PlacedValue, entries: Map<string, PlacedEntry>): void {
  for (const [key, entry] of source.entries ?? []) {
    if (entries.has(key)) continue
    entries.set(key, source.isAliased ? { ...entry, mergedAt: source.offset } : entry)
  }
}

function recordOf(entries: ReadonlyMap<string, PlacedEntry>): unknown {
  const record: Record<string, unknown> = {}
  for (const [key, { value }] of entries) {
    // Assigning to "__proto__" would set the prototype; defining it makes an ordinary key.
    if (key === '__proto__') {
      Object.defineProperty(record, key, { value: value.plain, enumerable: true })
    } else {
      record[key] = value.plain
    }
  }
  return Object.freeze(record)
}

/** A number that was written in digits alone must come back digit by digit. */
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  return Number.isSafeInteger(value) || !/^(?:[-+]?\d+|0o[0-7]+|0x[\da-f]+)$/i.test(source)
}
