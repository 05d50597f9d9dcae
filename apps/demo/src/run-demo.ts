import type { Writable } from 'node:stream'
import { chooseModel } from './choose-model.ts'
import { helpText, parseCommandLine } from './command-line.ts'
import type { Speaker } from './desk/speaker.ts'
import { atOnce, type Pace } from './local-model/stream-content.ts'
import { createJsonPrinter } from './show/json-lines.ts'
import { describeCommands, describeState, headline, noteLines, welcome } from './show/notes.ts'
import type { Page } from './show/page.ts'
import { createPaint, type Environment } from './show/paint.ts'
import { printableJson } from './show/printable.ts'
import { printSummary } from './show/summary.ts'
import { createTurnPrinter } from './show/turn-printer.ts'
import { createWaiting } from './show/waiting.ts'
import { chat } from './talk/chat.ts'
import { conversation } from './talk/conversation.ts'
import type { Keyboard } from './talk/keys.ts'
import { lintSkills } from './talk/lint-skills.ts'
import { answerLines } from './talk/piped.ts'
import { hasKept, play } from './talk/play.ts'
import { type DeskEvent, openSession } from './talk/session.ts'

/** What the demo gets of its process. */
export interface Surroundings {
  /** Behind the program's name. */
  readonly args: readonly string[]
  readonly env: Environment
  readonly stdin: Keyboard & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
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

  const session = openSession({ model: chosen.model, today: new Date().toISOString().slice(0, 10) })
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
    tell: (message: string) =>
      page.write(
        command.json ? `${printableJson({ type: 'note', message })}\n` : noteLines(message, page),
      ),
    describe: (kind: 'state' | 'help', speaker: Speaker) =>
      kind === 'help'
        ? describeCommands()
        : describeState(speaker, session.transcriptOf(speaker).length),
  }

  try {
    if (!command.json) page.write(`\n${headline(page, chosen.name)}`)
    if (isTyped && !command.play) {
      common.tell(welcome)
      return await chat({ ...common, input: stdin, screen: command.json ? stderr : stdout })
    }
    if (!command.play && !stdin.isTTY) {
      const { lines, failures } = await answerLines(stdin, common)
      if (lines > 0) return failures > 0 ? 1 : 0
    }
    const turns = await play(conversation, session, common.watch)
    const kept = hasKept(turns, chosen.local)
    if (command.json) page.write(`${printableJson({ type: 'summary', kept, turns })}\n`)
    else printSummary(turns, page, chosen.local)
    if (!kept) stderr.write('The conversation did not show what it promised; see above.\n')
    return kept ? 0 : 1
  } finally {
    // A spinner hides the cursor; nobody may leave without getting it back.
    waiting.stop()
  }
}

function misuse(stderr: Writable, message: string): number {
  stderr.write(`${message}\nTry --help.\n`)
  return 2
}
