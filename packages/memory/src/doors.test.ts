import { PredicateError } from '@symfonic/predicates'
import { MockEmbeddingModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { createEmbedder } from './ai-sdk/create-embedder.ts'
import { memoryForAgent } from './ai-sdk/memory-for-agent.ts'
import { memoryMiddleware } from './ai-sdk/memory-middleware.ts'
import { memoryTools } from './ai-sdk/memory-tools.ts'
import { createMemory, type Memory } from './create-memory.ts'
import { MemoryError } from './errors.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { parseEntry } from './parse-entry.ts'
import { parseWrite } from './parse-query.ts'
import { defaultRecallSettings } from './recall/settings.ts'
import { parseScope, partitionKey, readableScopes } from './scope.ts'
import { createScrubber } from './scrub.ts'
import { all, ann, setUp } from './testing-fixtures/told-memory.ts'

// What a caller without types may hand over: every value is given to every door, whole and field by field.

const boom = (): never => {
  throw new Error('boom')
}
const revoked = (target: object): unknown => {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}
const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

const hostile: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['a huge number', 9e15],
  ['a text', 'text'],
  ['a symbol', Symbol('s')],
  ['a big integer', 1n],
  ['a function', boom],
  ['a list', ['x']],
  ['a list with a hole', new Array(2)],
  ['a list of what throws', [{ toString: boom }]],
  ['a list whose items throw', Object.defineProperty([1], 0, { get: boom })],
  ['a list that was revoked', revoked([])],
  ['an object that was revoked', revoked({})],
  ['an object that throws when its keys are read', new Proxy({}, { ownKeys: boom, get: boom })],
  ['an object that throws when it is read', new Proxy({ a: 1 }, { get: boom })],
  ['an object that holds itself', cycle],
  ['an object without a prototype', Object.create(null)],
  ['a text that throws', { toString: boom, [Symbol.toPrimitive]: boom }],
  ['a day', new Date(0)],
  ['a map', new Map([[1, 2]])],
]

type Give = (memory: Memory, value: never) => unknown

/** One door for the object as a whole, one for each of its fields, each also behind a getter that throws. */
function doors(
  name: string,
  whole: object,
  give: Give,
): (readonly [string, (memory: Memory, value: unknown) => unknown])[] {
  return [
    [name, (memory, value) => give(memory, value as never)],
    ...Object.keys(whole).map(
      (key) =>
        [
          `${name}, ${key}`,
          (memory: Memory, value: unknown) => give(memory, { ...whole, [key]: value } as never),
        ] as const,
    ),
    [
      `${name}, getters`,
      (memory) => {
        const getters = Object.keys(whole).map((key) => [key, { get: boom, enumerable: true }])
        return give(memory, Object.defineProperties({}, Object.fromEntries(getters)) as never)
      },
    ],
  ]
}

const provenance = { source: 'author', turnId: 't', author: 'a' } as const
const message = { role: 'user', text: 'Hello.', speaker: 'Ann', at: 5 } as const
const turn = { turnId: 't', sessionId: 's', index: 1, messages: [message], recalled: ['x'] }
const draft = {
  id: 'x',
  layer: 'prospective',
  content: 'x',
  context: 'c',
  label: 'l',
  importance: 5,
  occurredAt: 5,
  provenance,
  supersedes: ['y'],
  links: [{ to: 'y', relation: 'r' }],
  metadata: { a: 1 },
  duePredicate: [{ state: { path: 'a', op: 'exists' } }],
  sequence: { sessionId: 's', index: 1 },
  embedding: [1, 2],
} as const
const list = { filter: { layers: ['semantic'] }, order: 'newest', limit: 5, cursor: 'x' }
const filter = { layers: ['semantic'], label: 'l', source: 'turn', sessionId: 's', dueUntil: 5 }
const hydration = { query: 'x', sessionId: 's', now: 5, budgetTokens: 5, limit: 5, state: {} }
const skill = { label: 'l', content: 'c', actionTool: 't', steps: ['a'], precondition: ['p'] }
const turnOptions = { budgetTokens: 5, limit: 5, timeoutMs: 5, extraction: false, knownEntities: 5 }
const place = { scope: ann, sessionId: 's' }
const store = () => createInMemoryStore()

const everyDoor = [
  ...doors('a scope', ann, (memory, value) => memory.hydrate(value, { query: 'x' })),
  ...doors('a scope of a turn', ann, (memory, value) => memory.consolidate(value, turn as never)),
  ...doors('parseScope', ann, (_, value) => parseScope(value)),
  ...doors('partitionKey', ann, (_, value) => partitionKey(value)),
  ...doors('readableScopes', ann, (_, value) => readableScopes(value)),
  ...doors('hydrate', { ...hydration, signal: undefined }, (memory, value) =>
    memory.hydrate(ann, value),
  ),
  ...doors('consolidate', turn, (memory, value) => memory.consolidate(ann, value)),
  ...doors('a message', message, (memory, value) =>
    memory.consolidate(ann, { ...turn, messages: [value] }),
  ),
  ...doors('refillWorking', turn, (memory, value) => memory.refillWorking(ann, value)),
  ...doors('remember', draft, (memory, value) => memory.remember(ann, value)),
  ...doors('provenance', provenance, (memory, value) =>
    memory.remember(ann, { ...draft, provenance: value }),
  ),
  ...doors('a link', draft.links[0], (memory, value) =>
    memory.remember(ann, { ...draft, links: [value] }),
  ),
  ...doors('remember of a layer', draft, (memory, value) =>
    memory.getLayer('semantic').remember(ann, value),
  ),
  ...doors('parseEntry', draft, (_, value) => parseEntry(value, { now: 0 })),
  ...doors('parseWrite', { put: [{ entry: draft }], remove: ['x'], completes: {} }, (_, value) =>
    parseWrite(value),
  ),
  ...doors('a claim', { jobId: 'j', token: 't' }, (_, value) => parseWrite({ completes: value })),
  ...doors('a put', { entry: draft, expectedVersion: 1 }, (_, value) =>
    parseWrite({ put: [value] }),
  ),
  ...doors('correct', { id: 'x', content: 'x', author: 'a', turnId: 't' }, (memory, value) =>
    memory.correct(ann, value),
  ),
  ...doors('forget', { ids: ['x'] }, (memory, value) => memory.forget(ann, value)),
  ...doors('forget a subject', { subject: 'x' }, (memory, value) => memory.forget(ann, value)),
  ...doors('forget by source', provenance, (memory, value) =>
    memory.forget(ann, { source: value }),
  ),
  ...doors('list', list, (memory, value) => memory.list(ann, value)),
  ...doors('a filter', filter, (memory, value) => memory.list(ann, { filter: value })),
  ...doors('list of a layer', list, (memory, value) =>
    memory.getLayer('semantic').list(ann, value),
  ),
  ...doors('getLayer', {}, (memory, value) => memory.getLayer(value)),
  ...doors('intentions', { now: 5, state: {} }, (memory, value) => memory.intentions(ann, value)),
  ...doors('describeBlocks', { requiredLabels: ['x'] }, (memory, value) =>
    memory.describeBlocks(ann, value),
  ),
  ...doors('seedIdentity', { domainName: 'd', depth: 0, content: 'c' }, (memory, value) =>
    memory.seedIdentity(ann, value),
  ),
  ...doors('seedAuthoredSkill', skill, (memory, value) =>
    memory.seedAuthoredSkill(ann, value, { sourceTag: 's' }),
  ),
  ...doors('a tag', { sourceTag: 's' }, (memory, value) =>
    memory.seedAuthoredSkill(ann, skill as never, value),
  ),
  ...doors('requestSleep', ann, (memory, value) => memory.requestSleep(value)),
  ...doors('runJobs', { limit: 1, scope: ann, signal: undefined }, (memory, value) =>
    memory.runJobs(value),
  ),
  ...doors('flush', { timeoutMs: 5 }, (memory, value) => memory.flush(value)),
  ...doors('close', { timeoutMs: 5 }, (memory, value) => memory.close(value)),
  ...doors('createMemory', { store: store(), layers: ['semantic'], recall: {} }, (_, value) =>
    createMemory(value),
  ),
  ...doors('recall', { ...defaultRecallSettings }, (_, value) =>
    createMemory({ store: store(), recall: value }),
  ),
  ...doors('a scrubber', {}, (_, value) => createMemory({ store: store(), scrubber: value })),
  ...doors('createScrubber', { secretsInText: true }, (_, value) => createScrubber(value)),
  ...doors('memoryTools', place, (memory, value) => memoryTools(memory, value)),
  ...doors('memoryMiddleware', { ...place, ...turnOptions }, (memory, value) =>
    memoryMiddleware(memory, value),
  ),
  ...doors('memoryForAgent', { placeOf: () => place, ...turnOptions }, (memory, value) =>
    memoryForAgent(memory, value),
  ),
  ...doors('a memory', {}, (_, value) => memoryTools(value, place)),
  ...doors('createEmbedder', { dimensions: 5 }, (_, value) =>
    createEmbedder(new MockEmbeddingModelV4(), value),
  ),
  ...doors('a model', {}, (_, value) => createEmbedder(value)),
]

describe('every door of memory', () => {
  it.each(everyDoor)('answers, or refuses with an error of its own: %s', async (_, give) => {
    for (const [name, value] of hostile) {
      const { memory } = setUp({ quickNapEveryTurns: 0 })
      try {
        await give(memory, value)
      } catch (thrown) {
        const isOwn = thrown instanceof MemoryError || thrown instanceof PredicateError
        expect(isOwn, `${name}: ${String(thrown)}`).toBe(true)
      }
      await memory.flush()
      // What is malformed is refused where it is given, and no failure of the background.
      expect(memory.counters(), name).toMatchObject({ writeFailures: 0, recallFailures: 0 })
    }
  })
})

describe('an option that does not exist', () => {
  const none = { txet: 1 }
  it.each<[string, string, Give]>([
    ['createMemory', 'embedder', () => createMemory({ store: store(), ...none } as never)],
    ['recall', 'weights', () => createMemory({ store: store(), recall: none as never })],
    [
      'recall.weights',
      'text',
      () => createMemory({ store: store(), recall: { weights: none as never } }),
    ],
    ['createScrubber', 'secretsInText', () => createScrubber(none as never)],
    ['hydrate', 'query', (memory) => memory.hydrate(ann, { query: 'x', ...none } as never)],
    ['a turn', 'messages', (memory) => memory.consolidate(ann, { ...turn, ...none } as never)],
    [
      'a message',
      'speaker',
      (memory) => memory.consolidate(ann, { ...turn, messages: [{ ...message, ...none }] }),
    ],
    ['a tail', 'messages', (memory) => memory.refillWorking(ann, { ...turn, ...none } as never)],
    ['correct', 'content', (memory) => memory.correct(ann, { id: 'x', content: 'x', ...none })],
    ['describeBlocks', 'requiredLabels', (memory) => memory.describeBlocks(ann, none as never)],
    ['seedIdentity', 'domainName', (memory) => memory.seedIdentity(ann, none as never)],
    [
      'seedAuthoredSkill',
      'actionTool',
      (memory) => memory.seedAuthoredSkill(ann, none as never, { sourceTag: 's' }),
    ],
    ['intentions', 'state', (memory) => memory.intentions(ann, none as never)],
    ['runJobs', 'limit', (memory) => memory.runJobs(none as never)],
    ['flush', 'timeoutMs', (memory) => memory.flush(none as never)],
    ['close', 'timeoutMs', (memory) => memory.close(none as never)],
    ['memoryTools', 'scope', (memory) => memoryTools(memory, { ...place, ...none } as never)],
    [
      'memoryMiddleware',
      'budgetTokens',
      (memory) => memoryMiddleware(memory, { ...place, ...none } as never),
    ],
    [
      'memoryForAgent',
      'placeOf',
      (memory) => memoryForAgent(memory, { placeOf: () => place, ...none } as never),
    ],
    [
      'createEmbedder',
      'dimensions',
      () => createEmbedder(new MockEmbeddingModelV4(), none as never),
    ],
  ])('is refused by %s, which names those that exist', async (_, known, give) => {
    const { memory } = setUp()
    const call = async () => give(memory, undefined as never)
    await expect(call()).rejects.toMatchObject({
      code: 'MEMORY_OPTION_INVALID',
      details: { option: 'txet' },
      message: expect.stringContaining(known),
    })
    expect(await all(memory, ann)).toEqual([])
  })
})

describe('what cannot be kept as it is', () => {
  it.each<[string, Record<string, unknown>]>([
    ['a day', { d: new Date(0), plan: 'gold' }],
    [
      'a getter that throws',
      Object.defineProperty({ plan: 'gold' }, 'a', { get: boom, enumerable: true }),
    ],
    ['a function', { f: boom, plan: 'gold' }],
    ['a map', { m: new Map(), plan: 'gold' }],
    ['a number that is none', { n: Number.NaN, plan: 'gold' }],
    ['itself', cycle],
  ])('is refused as metadata, and not left out: %s', async (_, metadata) => {
    const { memory } = setUp()
    const semantic = { layer: 'semantic', content: 'x', metadata, provenance } as const
    await expect(memory.remember(ann, semantic)).rejects.toMatchObject({
      code: expect.stringMatching(/^MEMORY_ENTRY_(?:INVALID|TOO_LARGE)$/),
      details: { field: 'metadata' },
    })
    expect(await all(memory, ann)).toEqual([])
  })

  it.each([
    ['a time without a day', { messages: [{ ...message, at: 9e15 }] }, 'messages.at'],
    ['a place without one behind it', { index: Number.MAX_SAFE_INTEGER }, 'index'],
    ['a speaker that is no name', { messages: [{ ...message, speaker: 5 }] }, 'messages.speaker'],
    ['recalled as one text', { recalled: 'x' }, 'recalled'],
  ])('is refused at once when a turn is told: %s', (_, changes, field) => {
    const { memory } = setUp()
    expect(() => memory.consolidate(ann, { ...turn, ...changes } as never)).toThrow(
      expect.objectContaining({ code: 'MEMORY_ENTRY_INVALID', details: { field } }),
    )
  })
})

describe('a scrubber of the host', () => {
  it.each([
    ['throws', { text: boom, properties: boom }],
    ['answers nothing', { text: () => undefined, properties: () => undefined }],
  ])('that %s is named, and nothing is kept unscrubbed', async (_, scrubber) => {
    const { memory } = setUp({ scrubber: scrubber as never })
    const semantic = { layer: 'semantic', content: 'x', provenance } as const
    const named = { code: 'MEMORY_OPTION_INVALID', details: { option: 'scrubber' } }
    await expect(memory.remember(ann, semantic)).rejects.toMatchObject(named)
    await expect(memory.correct(ann, { id: 'x', content: 'y' })).rejects.toMatchObject(named)
    expect(await memory.consolidate(ann, turn as never)).toMatchObject({ failed: true })
    expect(await all(memory, ann)).toEqual([])
  })
})
