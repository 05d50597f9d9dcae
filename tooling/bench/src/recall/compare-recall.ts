import {
  createInMemoryStore,
  defaultRecallSettings,
  type MemoryStore,
  type RecallSettings,
  type RecallSignal,
  recallSignals,
} from '@symfonic/memory'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { layOut } from '../lay-out.ts'
import type { Computation } from '../suite.ts'
import type { Conversation } from './conversations.ts'
import { lightWords, plainBm25 } from './plain-bm25.ts'
import { recallOf, type Trial } from './recall-at.ts'
import { type Remembered, rememberConversation } from './remember-conversation.ts'

/** What is expected of a set of conversations. */
export interface RecallGoal {
  /** Recall at 10 is to be at least so many times that of plain BM25. */
  readonly factor: number
  /** The category in which questions have no answer: told apart, and in no sum. */
  readonly apart?: string
}

/**
 * Recall on some conversations, by category: plain BM25, and ours over each store, with no model. Then what each
 * signal is worth.
 */
export async function compareRecall(
  conversations: readonly Conversation[],
  { factor, apart }: RecallGoal,
): Promise<Computation> {
  const plain = conversations.flatMap((each) => askPlainBm25(each))
  const inMemory = await rememberAll(conversations, createInMemoryStore())
  const ours = await askAll(inMemory, defaultRecallSettings)
  const inSqlite = await withStore(createSqliteStore(':memory:'), async (store) =>
    askAll(await rememberAll(conversations, store), defaultRecallSettings),
  )
  const bare = await withStore(createInMemoryStore(), async (store) =>
    askAll(await rememberAll(conversations, withoutContext(store)), onlyWords),
  )
  const counted = (trials: readonly Trial[]) => trials.filter(({ category }) => category !== apart)
  const categories = [...new Set(plain.map(({ category }) => category))].sort()
  const halves = (conversations.length > 1 ? [0, 1] : []).map((half) => {
    const ids = conversations.filter((_, at) => at % 2 === half).map(({ id }) => id)
    return (trials: readonly Trial[]) =>
      counted(trials).filter(({ conversation }) => ids.includes(conversation))
  })
  const row = (name: string, pick: (trials: readonly Trial[]) => readonly Trial[]) => [
    name,
    String(pick(plain).length),
    ...[plain, ours, inSqlite].map((trials) => render(pick(trials))),
  ]
  const sum = apart === undefined ? 'all' : `all but ${apart}`
  const base = recallOf(counted(ours))[1] ?? Number.NaN
  const worth: string[][] = []
  for (const signal of signalsOff) {
    const off = counted(await askAll(inMemory, withWeights({ [signal]: 0 })))
    const alone = counted(
      await askAll(
        inMemory,
        withWeights({ ...nothing, text: 1, [signal]: defaultRecallSettings.weights[signal] }),
      ),
    )
    worth.push([signal, render(off), difference(off, base), render(alone)])
  }
  const turns = conversations.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns))
  const leftOut = conversations.reduce((all, each) => all + each.leftOut, 0)
  const lines = [
    `${conversations.length} conversations, ${turns.length} turns, ${plain.length} questions (${leftOut} without evidence left out)`,
    'recall at 5 / 10 / 20',
    ...layOut([
      ['', 'questions', 'plain BM25', 'in memory', 'SQLite'],
      row(sum, counted),
      ...categories.map((category) =>
        row(category, (trials) => trials.filter((trial) => trial.category === category)),
      ),
      ...halves.map((pick, at) => row(`${sum}, ${at === 0 ? 'odd' : 'even'} conversations`, pick)),
    ]),
    '',
    `what each signal is worth, ${sum}`,
    ...layOut([
      ['', 'without it', 'at 10', 'with words alone'],
      ['everything', render(counted(ours)), '', ''],
      ['words alone', '', '', render(counted(await askAll(inMemory, onlyWords)))],
      ['and without context', '', '', render(counted(bare))],
      ...worth,
    ]),
  ]
  const plainAt10 = recallOf(counted(plain))[1] ?? Number.NaN
  return {
    text: lines.join('\n'),
    ratios: [ours, inSqlite].map((trials, at) => ({
      name: `${sum} at 10, plain BM25 / ours ${at === 0 ? 'in memory' : 'over SQLite'}`,
      ratio: plainAt10 / (recallOf(counted(trials))[1] ?? Number.NaN),
      bound: 1 / factor,
    })),
  }
}

/** Plain BM25 on one conversation: one turn is one document, with the name of its speaker. */
export function askPlainBm25(
  { id, sessions, questions }: Conversation,
  tokenize = lightWords,
): readonly Trial[] {
  const turns = sessions.flatMap((session) => session.turns)
  const rank = plainBm25(
    turns.map(({ speaker, text }) => `${speaker}: ${text}`),
    tokenize,
  )
  return questions.map((question) => ({
    ...question,
    conversation: id,
    found: rank(question.text).flatMap((at) => turns[at]?.id ?? []),
  }))
}

/** Every conversation in one store, each the memory of another user. */
export async function rememberAll(
  conversations: readonly Conversation[],
  store: MemoryStore,
): Promise<readonly Remembered[]> {
  const remembered: Remembered[] = []
  for (const each of conversations) remembered.push(await rememberConversation(each, store))
  return remembered
}

/** Asks all of them. */
export async function askAll(
  remembered: readonly Remembered[],
  settings: RecallSettings,
): Promise<readonly Trial[]> {
  const trials: Trial[] = []
  for (const each of remembered) trials.push(...(await each.ask(settings)))
  return trials
}

const nothing = Object.fromEntries(recallSignals.map((signal) => [signal, 0]))
const onlyWords = withWeights({ ...nothing, text: 1 })

/** Those that these conversations exercise: they have no vectors and no links. */
const signalsOff: readonly RecallSignal[] = recallSignals.filter(
  (signal) => !['text', 'vector', 'links', 'importance'].includes(signal),
)

function withWeights(changes: Partial<RecallSettings['weights']>): RecallSettings {
  return { ...defaultRecallSettings, weights: { ...defaultRecallSettings.weights, ...changes } }
}

/** The same store, in which an entry is found by its own words only. */
function withoutContext(store: MemoryStore): MemoryStore {
  return {
    ...store,
    write: (scope, write) =>
      store.write(scope, {
        ...write,
        put: (write.put ?? []).map((put) => {
          const { context: _, ...entry } = put.entry
          return { ...put, entry }
        }),
      }),
  }
}

async function withStore<Result>(
  store: MemoryStore,
  work: (store: MemoryStore) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

function render(trials: readonly Trial[]): string {
  return recallOf(trials)
    .map((recall) => recall.toFixed(3))
    .join(' ')
}

function difference(trials: readonly Trial[], base: number): string {
  const change = (recallOf(trials)[1] ?? Number.NaN) - base
  return `${change < 0 ? '' : '+'}${change.toFixed(3)}`
}
