import { existsSync, readFileSync } from 'node:fs'

/** What may be asked about a conversation, and where in it the answer stands. */
export interface Question {
  readonly text: string
  readonly category: string
  /** Ids of the turns that hold the answer, at least one. */
  readonly evidence: readonly string[]
}

/** One turn, as it is remembered: what was said, and the caption of a picture that was shown with it. */
export interface Turn {
  readonly id: string
  readonly speaker: string
  readonly text: string
}

/** A conversation over several sessions. */
export interface Conversation {
  readonly id: string
  readonly sessions: readonly {
    readonly id: string
    /** Epoch milliseconds. */
    readonly at: number
    readonly turns: readonly Turn[]
  }[]
  readonly questions: readonly Question[]
  /** Questions without evidence that can be found: they have no recall, and are left out. */
  readonly leftOut: number
}

/** The recorded conversations beside the repository; undefined where they are not there. */
export function readConversations(
  name: 'locomo' | 'bfcl-memory',
): readonly Conversation[] | undefined {
  const file = new URL(`../../../../../shared/data/${name}/conversations.jsonl`, import.meta.url)
  if (!existsSync(file)) return undefined
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => conversationOf(JSON.parse(line)))
}

interface Recorded {
  id: string
  sessions: {
    n: number
    dateTime?: string
    turns: { id: string; speaker: string; text: string; imageCaption?: string }[]
  }[]
  qa: {
    question: string
    category: string
    evidence: string[]
    evidenceUnresolved?: unknown
  }[]
}

function conversationOf({ id, sessions, qa }: Recorded): Conversation {
  const questions = qa
    .filter(({ evidence, evidenceUnresolved }) => {
      return evidence.length > 0 && evidenceUnresolved === undefined
    })
    .map(({ question, category, evidence }) => ({ text: question, category, evidence }))
  return {
    id,
    sessions: sessions.map(({ n, dateTime, turns }) => ({
      id: `session ${n}`,
      at: dateTime === undefined ? firstDay + n * dayMs : timeOf(dateTime),
      turns: turns.map(({ id, speaker, text, imageCaption }) => ({
        id,
        speaker,
        text: imageCaption === undefined ? text : `${text} ${imageCaption}`,
      })),
    })),
    questions,
    leftOut: qa.length - questions.length,
  }
}

const dayMs = 86_400_000

/** Sessions without a date are a day apart. */
const firstDay = Date.UTC(2026, 0, 1)

/** `1:56 pm on 8 May, 2023` */
function timeOf(text: string): number {
  const [clock = '', day = ''] = text.split(' on ')
  const time = Date.parse(`${day} ${clock} UTC`)
  if (Number.isNaN(time)) throw new Error(`"${text}" is no time of a session.`)
  return time
}
