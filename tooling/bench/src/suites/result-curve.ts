import {
  createInMemoryLedger,
  createResultPolicy,
  type PlainMessage,
  plainTranscript,
} from '@symfonic/result-policy'
import { median } from '../measure.ts'
import type { Computation, ComputedSuite } from '../suite.ts'

/** Steps of the run, and where the time of a step is read off. */
const places = [250, 500, 1_000, 2_000]

/** A figure is the median over so many steps, up to the place. */
const windowSteps = 100

/** The first run, in which the code is compiled, is not counted. */
const runs = 7

/**
 * How the work of a step grows with the history before it: one tool result a step, now and then a large one, and
 * the policy applied before each call of a model.
 */
export const resultCurve: ComputedSuite = {
  name: 'results/curve',
  compute: () => curveOver(places, { runs, windowSteps }),
}

/** @param at - Where to read off, rising. */
export async function curveOver(
  at: readonly number[],
  { runs, windowSteps }: { runs: number; windowSteps: number },
): Promise<Computation> {
  const figures = at.map(() => [] as number[])
  for (let run = 0; run < runs; run += 1) {
    const times = await timeRun(at.at(-1) ?? 0)
    if (run === 0) continue
    for (const [index, place] of at.entries()) {
      figures[index]?.push(median(times.slice(Math.max(0, place - windowSteps), place)))
    }
  }
  const perStep = figures.map(median)
  const lines = at.map((place, index) => {
    const micros = (perStep[index] ?? Number.NaN) / 1e3
    return `  at step ${String(place).padStart(5)}  ${micros.toFixed(1).padStart(7)} µs`
  })
  return {
    text: ['time of a step of the result policy', ...lines].join('\n'),
    ratios: [
      {
        name: `a step at ${at.at(-1)} / a step at ${at[0]}`,
        ratio: (perStep.at(-1) ?? Number.NaN) / (perStep[0] ?? Number.NaN),
        bound: 2,
      },
    ],
  }
}

/** Nanoseconds of each step of one conversation. Nothing of it is known to the policy beforehand. */
async function timeRun(steps: number): Promise<number[]> {
  const policy = createResultPolicy(
    { modelName: 'claude-sonnet-4-5' },
    { transcript: plainTranscript, ledger: createInMemoryLedger() },
  )
  const conversation = policy.forConversation({ scopeKey: 'bench', thread: 'curve' })
  const messages: PlainMessage[] = [{ role: 'user', content: 'Go through the register.' }]
  const times: number[] = []
  for (let step = 0; step < steps; step += 1) {
    const id = `call_${step}`
    messages.push(
      { role: 'assistant', toolCalls: [{ id, name: 'read', args: { page: step } }] },
      { role: 'tool', toolCallId: id, toolName: 'read', content: pageOf(step) },
    )
    const history = [...messages]
    const began = process.hrtime.bigint()
    const { messages: sent } = await conversation.apply(history)
    times.push(Number(process.hrtime.bigint() - began))
    if (sent.length !== history.length) throw new Error('The policy lost a message.')
  }
  return times
}

/** Every eighth page is large. */
function pageOf(step: number): string {
  const rows = step % 8 === 0 ? 200 : 40
  return JSON.stringify(
    Array.from({ length: rows }, (_, row) => ({
      id: `${step}-${row}`,
      title: `Row ${row} of ${step}`,
    })),
  )
}
