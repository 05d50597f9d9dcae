import type { Writable } from 'node:stream'
import { MemoryError } from '@symfonic/memory'
import { chooseModel } from './choose-model.ts'
import { helpText, parseCommandLine } from './command-line.ts'
import { clock } from './desk/clock.ts'
import { createDeskMemory } from './desk/memory.ts'
import type { Speaker } from './desk/speaker.ts'
import { createLocalModel } from './local-model/local-model.ts'
import { atOnce, type Pace } from './local-model/stream-content.ts'
import { createJsonPrinter } from './show/json-lines.ts'
import {
  describeCommands,
  describeState,
  headline,
  memoryLine,
  noteLines,
  welcome,
} from './show/notes.ts'
import type { Page } from './show/page.ts'
import { createPaint, type Environment } from './show/paint.ts'
import { printable, printableJson } from './show/printable.ts'
import { describePrompt } from './show/prompt-lines.ts'
import { describeStubs } from './show/result-lines.ts'
import { printSummary } from './show/summary.ts'
import { createTurnPrinter } from './show/turn-printer.ts'
import { createWaiting } from './show/waiting.ts'
import { chat } from './talk/chat.ts'
import type { Asked, Told } from './talk/commands.ts'
import { conversation } from './talk/conversation.ts'
import type { Keyboard } from './talk/keys.ts'
import { lintSkills } from './talk/lint-skills.ts'
import { chooseMemoryFile } from './talk/memory-file.ts'
import { answerLines } from './talk/piped.ts'
import { hasKept, play, sumInput } from './talk/play.ts'
import { sumSavings } from './talk/savings.ts'
import { type DeskEvent, openSession, type Session } from './talk/session.ts'
import { createSteadyClock } from './talk/steady-clock.ts'

/** What the demo gets of its process. */
export interface Surroundings {
  /** Behind the program's name. */
  readonly args: readonly string[]
  readonly env: Environment
  readonly stdin: Keyboard & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  /** Default: the clock. */
  readonly now?: () => Date
  /** Of the local model. Default: to be watched at a terminal, at once elsewhere. */
  readonly pace?: Pace
}

const firstSpeaker: Speaker = { user: 'mia', platform: 'web' }
const watchable: Pace = { thinkMs: 350, deltaMs: 18 }
const widest = 120
const narrowest = 40

/**
 * The demo: at a terminal a chat, with piped lines an answer to each, with neither the written
 * conversation.
 *
 * @returns The exit code: 0; 1 when a turn failed or the conversation did not show what it promised;
 * 2 when it was called wrongly; 130 when an answer was cut off.
 */
export async function runDemo(around: Surroundings): Promise<number> {
  const { args, env, stdin, stdout, stderr } = around
  const command = parseCommandLine(args)
  if (command.kind === 'misuse') return misuse(stderr, command.message)
  if (command.kind === 'help') {
    stdout.write(helpText)
    return 0
  }
  if (command.kind === 'lint') return lintSkills(command.json)
  const isTyped = stdin.isTTY === true && stdout.isTTY === true
  const chosen = chooseModel(env, around.pace ?? (stdout.isTTY ? watchable : atOnce))
  if ('problem' in chosen) return misuse(stderr, chosen.problem)

  const now = around.now ?? (() => new Date())
  const { cache, pricedAs } = chosen
  const about = { today: now().toISOString().slice(0, 10), cache, pricedAs }
  const clockInPrefix = command.clockInPrefix ? now : undefined
  const { model } = chosen
  const file = chooseMemoryFile(
    command.memory ?? (env['SYMFONIC_MEMORY'] || undefined),
    isTyped && !command.play && !command.json,
  )
  const memoryNow = file.isKept ? now : createSteadyClock(now())
  const open = (): Session => {
    const memory = createDeskMemory({ store: file.open(), now: memoryNow })
    return openSession({ ...about, model, memory, clockInPrefix })
  }
  let session: Session
  try {
    session = open()
  } catch (error) {
    file.remove()
    if (error instanceof MemoryError) return misuse(stderr, error.message)
    throw error
  }
  const page: Page = {
    paint: createPaint(stdout, env),
    columns: () => Math.min(widest, Math.max(narrowest, stdout.columns ?? 80)),
    write: (text) => stdout.write(text),
  }
  const printer = command.json
    ? createJsonPrinter(page.write)
    : createTurnPrinter(page, { echo: !isTyped || command.play })
  const waiting = createWaiting(stderr, env)
  const common = {
    session,
    speaker: firstSpeaker,
    watch: (event: DeskEvent) => {
      waiting.note(event)
      printer.print(event)
    },
    tell: (told: Told) => {
      if (typeof told !== 'string') return printer.print(told)
      page.write(
        command.json
          ? `${printableJson({ type: 'note', message: told })}\n`
          : noteLines(told, page),
      )
    },
    describe: async (asked: Asked, speaker: Speaker) => {
      switch (asked.kind) {
        case 'help':
          return describeCommands()
        case 'prompt':
          return describePrompt(session.lastPrompt())
        case 'results':
          return describeStubs(session.stubsOf(speaker))
        case 'recall':
          return printable(await session.recall(speaker, asked.request))
        case 'state':
          return describeState(speaker, session.transcriptOf(speaker).length)
        case 'memory':
          return session.memory.show(speaker)
        case 'why':
          return session.why(speaker)
        case 'correct':
          return session.memory.correct(speaker, asked.id, asked.content)
        case 'forget':
          return session.memory.forget(speaker, asked.what)
      }
    },
  }

  try {
    if (command.json) {
      const { isKept, path } = file
      page.write(`${printableJson({ type: 'memory-opened', isKept, ...(isKept && { path }) })}\n`)
    } else page.write(`\n${headline(page, chosen.name)}${memoryLine(page, file.about)}`)
    if (isTyped && !command.play) {
      common.tell(welcome)
      return await chat({ ...common, input: stdin, screen: command.json ? stderr : stdout })
    }
    if (!command.play && !stdin.isTTY) {
      const { lines, failures } = await answerLines(stdin, common)
      if (lines > 0) return failures > 0 ? 1 : 0
    }
    const culprit = clockInPrefix && clock.name
    await session.close()
    const turns = await play(conversation, open, common.watch, culprit)
    const kept = hasKept(turns, chosen.local)
    // The same once more, unseen and without the clock; a model that costs money is not asked twice.
    const again = async () => {
      const [unseen, fresh] = [chooseMemoryFile(undefined, false), createLocalModel()]
      const reopen = () => {
        const memory = createDeskMemory({ store: unseen.open(), now: memoryNow })
        return openSession({ ...about, model: fresh, memory })
      }
      try {
        return await play(conversation, reopen, () => {})
      } finally {
        unseen.remove()
      }
    }
    const unbroken = clockInPrefix && chosen.local ? sumInput(await again()) : undefined
    if (command.json) {
      const stubs = sumSavings(turns.map(({ savings }) => savings))
      const cache = { ...sumInput(turns), ...(unbroken && { withoutTheClock: unbroken }) }
      page.write(`${printableJson({ type: 'summary', kept, cache, stubs, pricedAs, turns })}\n`)
    } else printSummary(turns, page, { strict: chosen.local, unbroken, pricedAs })
    if (!kept) stderr.write('The conversation did not show what it promised; see above.\n')
    return kept ? 0 : 1
  } finally {
    // A spinner hides the cursor; nobody may leave without getting it back.
    waiting.stop()
    await session.close()
    file.remove()
  }
}

function misuse(stderr: Writable, message: string): number {
  stderr.write(`${message}\nTry --help.\n`)
  return 2
}
