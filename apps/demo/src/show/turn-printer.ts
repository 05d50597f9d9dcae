import type { TurnResult } from '@symfonic/kernel'
import { recallToolName } from '@symfonic/result-policy'
import { fullNameOf } from '../desk/speaker.ts'
import { type CallRecord, createCallLog } from '../talk/call-log.ts'
import { reasonOf } from '../talk/reason-of.ts'
import { reportIn } from '../talk/savings.ts'
import type { DeskEvent, RulesSelectedEvent, UserSaidEvent } from '../talk/session.ts'
import { describeSteps, describeTurn } from './amounts.ts'
import { describeLearned, describeMemory, describeRecalledEntries } from './memory-lines.ts'
import { noteLines } from './notes.ts'
import { lineWidth, margin, type Page, printLine, printTitle } from './page.ts'
import { printable, printableLine } from './printable.ts'
import { describeCache, describeComparison, describeHashes, describeSizes } from './prompt-lines.ts'
import {
  describeArithmetic,
  describeRecalled,
  describeSavings,
  describeStub,
} from './result-lines.ts'
import { describeDropped, describeRule } from './rule-lines.ts'
import { valueLine } from './value-line.ts'
import { createFlow, cut, type Flow, wrap } from './wrap.ts'

const reopened =
  'The desk closes, and opens again. What was said is gone; what is remembered is not.'

/** Prints the events of turns as they come. */
export interface TurnPrinter {
  print(event: DeskEvent): void
}

/**
 * A printer of one turn after the other; it counts them.
 *
 * @param options.echo - Print who says what. Not where it stands on the screen already.
 */
export function createTurnPrinter(page: Page, options: { readonly echo: boolean }): TurnPrinter {
  const { paint, write } = page
  let turns = 0
  let log = createCallLog()
  let step = 0
  let labelled = 0
  let answer: Flow | undefined
  /** Line breaks that may be the end of the answer: a note for memory stood behind them. */
  let breaks = ''
  let thought = ''
  let saved: string | undefined

  /** The label of a step stands before its first line only. */
  const stepLabel = () => {
    if (labelled === step) return ''
    labelled = step
    return `step ${step}`
  }
  const wrong = { mark: '✗', style: paint.red }
  const notable = { mark: '!', style: paint.yellow }
  const faint = { style: paint.dim }
  const oneLine = (text: string) => cut(text, lineWidth(page) - 2)

  return {
    print: (event) => {
      const call = log.note(event)
      if (!event.type.startsWith('text-')) closeAnswer()
      switch (event.type) {
        case 'user-said':
          turns += 1
          log = createCallLog()
          labelled = 0
          saved = undefined
          return printSaid(event)
        case 'rules-selected':
          return printRules(event)
        case 'memory-recalled': {
          const style = event.items.length > 0 ? paint.magenta : paint.dim
          return printLine(page, describeRecalledEntries(event), { label: 'memory', style })
        }
        case 'memory-learned':
          for (const [index, text] of describeLearned(event).entries()) {
            printLine(page, text, { ...faint, label: index === 0 ? 'learned' : '' })
          }
          return
        case 'memory-shown':
        case 'memory-explained':
        case 'memory-corrected':
        case 'memory-forgotten':
          return write(noteLines(describeMemory(event), page))
        case 'desk-reopened':
          return write(`\n${noteLines(reopened, page)}`)
        case 'context-hydrated':
          for (const { capability, error } of event.sources) {
            if (error === undefined) continue
            printLine(page, printableLine(`${capability} gave nothing: ${error}`), wrong)
          }
          return
        case 'prompt-assembled': {
          const { report } = event
          printLine(page, describeSizes(report), { label: 'prompt' })
          printLine(page, describeHashes(report), { ...faint, label: 'hash' })
          for (const { section, origin, reason } of report.failed) {
            const who = origin === undefined ? section : `plugin ${origin}`
            printLine(page, printableLine(`${who} left out: ${reason}`), wrong)
          }
          return
        }
        case 'prompt-compared': {
          const { text, breaks } = describeComparison(event.comparison)
          return printLine(page, text, { ...(breaks ? notable : faint), label: 'changed' })
        }
        case 'history-rewritten':
          for (const decision of reportIn(event)?.decided ?? []) {
            printLine(page, describeStub(decision), { style: paint.cyan, label: 'stub' })
            if (decision.netSaving) printLine(page, describeArithmetic(decision.netSaving), faint)
          }
          return
        case 'results-shortened':
          saved = describeSavings(event.inTurn)
          return
        case 'step-start':
          step = event.step
          if (event.forcedTool === undefined) return
          return printLine(page, `must call ${event.forcedTool}`, {
            ...notable,
            label: stepLabel(),
          })
        case 'reasoning-delta':
          thought += event.text
          return
        case 'reasoning-end':
          printLine(page, printableLine(thought), { ...faint, mark: '~', label: stepLabel() })
          thought = ''
          return
        case 'text-delta':
          return printAnswer(event.text)
        case 'tool-call': {
          const text = oneLine(`${printableLine(event.toolName)} ${valueLine(event.input)}`)
          return printLine(page, text, { mark: '→', style: paint.bold, label: stepLabel() })
        }
        case 'tool-refused':
        case 'tool-error':
        case 'tool-result':
          return call && printOutcome(call)
        case 'forced-tool-ignored':
          return printLine(page, `${event.toolName} was not called`, notable)
        case 'turn-end':
          return printEnd(event.result)
        case 'turn-abort':
          return printLine(page, 'stopped', { ...notable, mark: '■' })
        case 'turn-error':
          return printLine(page, printableLine(reasonOf(event.error)), wrong)
      }
    },
  }

  function printSaid({ speaker: { user, platform }, text }: UserSaidEvent) {
    if (!options.echo) return write('\n')
    printTitle(page, `${turns} · ${fullNameOf(user)} on ${platform}`)
    for (const [index, line] of wrap(printable(text), page.columns() - 4).entries()) {
      write(`${margin}${index === 0 ? paint.cyan('›') : ' '} ${paint.bold(line)}\n`)
    }
    write('\n')
  }

  function printRules({ selection: { active, dropped } }: RulesSelectedEvent) {
    const lines = [
      ...active.map((skill) => ({ text: describeRule(skill), mark: '●', style: paint.cyan })),
      ...dropped.map((drop) => ({ text: describeDropped(drop), mark: '○', style: paint.dim })),
    ]
    for (const [index, { text, ...about }] of lines.entries()) {
      printLine(page, text, { ...about, label: index === 0 ? 'rules' : '' })
    }
  }

  function printOutcome(call: CallRecord) {
    // Several calls of a step run side by side; each result then says whose it is.
    const siblings = log.calls.filter((each) => each.step === call.step).length
    const whose = siblings > 1 ? `${printableLine(call.toolName)} ` : ''
    if (call.outcome === 'ran') {
      const isRecall = call.toolName === recallToolName
      const gave = isRecall ? describeRecalled(call.output, call.input) : valueLine(call.output)
      const text = oneLine(`${whose}${gave}`)
      return printLine(page, text, { mark: '✓', style: paint.green })
    }
    if (call.outcome === 'refused' && call.missing.length > 0) {
      const rules = call.rules.map((rule) => `"${rule}"`).join(' and ')
      const text = `${whose}refused by ${rules}: first ${call.missing.join(', then ')}`
      return printLine(page, printableLine(text), wrong)
    }
    const [veto] = call.vetoes
    if (call.outcome === 'refused' && veto) {
      const text = `${whose}refused by the plugin "${veto.plugin}": ${veto.reason}`
      return printLine(page, printableLine(text), wrong)
    }
    const text = `${whose}${call.outcome}: ${printableLine(call.reason)}`
    printLine(page, cut(text, 2 * lineWidth(page)), wrong)
  }

  function printAnswer(text: string) {
    const whole = breaks + text
    const body = whole.trimEnd()
    breaks = whole.slice(body.length)
    if (body === '') return
    if (answer === undefined) {
      write(`\n${margin}${paint.green('‹')} `)
      answer = createFlow(page.columns() - 4, `${margin}  `)
    }
    write(answer.write(printable(body)))
  }

  function closeAnswer() {
    if (answer) write(`${answer.end()}\n`)
    answer = undefined
    breaks = ''
  }

  function printEnd({ steps, usage, finishReason, cache }: TurnResult) {
    write('\n')
    if (log.calls.some(({ outcome }) => outcome !== 'ran')) {
      const order = log.calls.map(({ toolName, outcome }) =>
        outcome === 'ran' ? `${toolName} ✓` : `${toolName} ✗`,
      )
      printLine(page, printableLine(order.join(' → ')), { label: 'order' })
    }
    if (finishReason !== 'stop') printLine(page, finishReason, { ...notable, label: 'ended' })
    printLine(page, describeTurn({ steps, usage }), { ...faint, label: 'cost' })
    if (steps.length > 1) printLine(page, describeSteps(steps), faint)
    if (saved !== undefined) printLine(page, saved, { ...faint, label: 'stubs' })
    if (cache === undefined) return
    const about = cache.parted === undefined ? faint : notable
    printLine(page, describeCache(cache), { ...about, label: 'cache' })
  }
}
