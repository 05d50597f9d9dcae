import type { ModelMessage } from 'ai'
import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import type { HistoryPolicy } from './history-policy.ts'
import { renderResults, reportOnResults } from './results-report.ts'

const says = (text: string): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})
const result = (toolName: string, value: string): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'a', toolName, output: { type: 'text', value } }],
})
const calls = (input: unknown): ModelMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input }],
})

const fact = 'ZZ99XX'
const run = (id: string, population: string, ...after: ModelMessage[]): Conversation => ({
  ...{ id, population },
  messages: [
    { role: 'system', content: 'Be kind. '.repeat(600) },
    { role: 'user', content: 'Look.' },
    calls({}),
    result('look', fact + ' and so on'.repeat(2_000)),
    ...after,
  ],
})

/** Replaces results by `stub`; its tool shows the fact, or nothing. */
const replacing = (stub: string, found: string): HistoryPolicy => ({
  name: 'replacing',
  open: () => ({
    prepare: (history) =>
      history.map((message) => (message.role === 'tool' ? result('look', stub) : message)),
    recall: async () => ({ toolName: 'find', input: {}, text: found }),
  }),
})

const calling = run('calling', 'desk', calls({ id: fact }), result('look', 'done'), says('Done.'))
const telling = run('telling', 'shop', says(`It is ${fact}.`))

describe('the report on results', () => {
  it('counts by population who needs what, and what the tool shows', async () => {
    const { rows, unanswered } = await reportOnResults(
      [calling, telling],
      replacing('stub', `It is ${fact}`),
    )
    expect(rows).toMatchObject([
      { population: 'desk', runs: 1, steps: 3, calls: { needing: 1, answered: 1 } },
      { population: 'shop', runs: 1, steps: 2, answers: { needing: 1, answered: 1 } },
      { population: 'all', runs: 2, steps: 5, calls: { needing: 1 }, answers: { needing: 1 } },
    ])
    expect(rows.map(({ saved }) => saved > 0.4)).toEqual([true, true, true])
    expect(unanswered).toEqual([])
  })

  it('names what cannot be recalled', async () => {
    const { rows, unanswered } = await reportOnResults([calling], replacing('stub', 'not found'))
    expect(unanswered).toEqual([{ run: 'calling', value: fact }])
    expect(rows[0]?.calls).toEqual({ needing: 1, answered: 0 })
  })

  it('names the runs that cost more than without, and none that cost the same', async () => {
    const longer = replacing('s'.repeat(40_000), '')
    const report = await reportOnResults([telling], longer)
    expect(report.dearer).toEqual([{ run: 'telling', ratio: report.rows[0]?.dearest.ratio }])
    expect(report.rows[0]?.dearest.ratio).toBeGreaterThan(1)
    const same: HistoryPolicy = { name: 'same', open: () => ({ prepare: (history) => history }) }
    expect((await reportOnResults([telling], same)).dearer).toEqual([])
  })

  it('reads as a table with what it comes to', async () => {
    const colors = picocolors.createColors(false)
    const good = await reportOnResults([calling], replacing('stub', `It is ${fact}`))
    const text = renderResults(good, colors)
    expect(text).toMatch(/^population +runs +steps +chars sent +with policy +saved +cost/m)
    expect(text).toMatch(/^desk +1 +3 +\d+ +\d+ +\d\d\.\d% /m)
    expect(text).toContain('no run costs more than without')
    expect(text).toContain('everything out of sight can be recalled')
    const bad = await reportOnResults([calling], replacing('s'.repeat(40_000), '\u001b[2J'))
    expect(renderResults(bad, colors)).toMatch(
      /1 runs cost more than without, .*:\n {2}\d\.\d{3} {2}calling/,
    )
    expect(renderResults(bad, colors)).toMatch(
      /1 values cannot be recalled:\n {2}"ZZ99XX" {2}calling/,
    )
  })
})
