import { type HistoryPolicy, type OpenHistory, wireText } from '@symfonic/replay/results'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { langchainContextEditing } from './langchain-context-editing.ts'
import { pruneAllButThree } from './prune-messages.ts'
import { strandsOffloader } from './strands-offloader.ts'

const query: ModelMessage = { role: 'user', content: 'Look.' }
const exchange = (index: number, value: string, type: 'text' | 'error-text' = 'text') => {
  const about = { toolCallId: `c${index}`, toolName: 'look' }
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...about, input: { index } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...about, output: { type, value } }] },
  ] satisfies ModelMessage[]
}
const five = [query, ...[0, 1, 2, 3, 4].flatMap((index) => exchange(index, `result ${index}`))]
const lines = 'nothing to see\n'.repeat(1_000)
const large = `${lines}fact ZZ99XX\n${lines}`

const open = (policy: HistoryPolicy): OpenHistory =>
  policy.open({ id: 'run', population: 'desk', messages: [] })
const texts = async (policy: HistoryPolicy, history: ModelMessage[]) =>
  (await open(policy).prepare(history)).map(wireText)

describe("LangChain's context editing", () => {
  it('leaves a short history as it is', async () => {
    expect(await texts(langchainContextEditing('default'), five)).toEqual(five.map(wireText))
  })

  it('clears all results but the last three when it is told to begin at once', async () => {
    const early = langchainContextEditing('early', { trigger: { tokens: 1 } })
    expect((await texts(early, five)).filter((_, index) => index > 0 && index % 2 === 0)).toEqual([
      '[cleared]',
      '[cleared]',
      'result 2',
      'result 3',
      'result 4',
    ])
  })
})

describe('pruneMessages of the AI SDK', () => {
  it('takes away all calls and results but the last three', async () => {
    expect(await texts(pruneAllButThree, five)).toEqual(['Look.', ...five.slice(-6).map(wireText)])
  })
})

describe('the context offloader of Strands', () => {
  it('leaves small results and errors as they are', async () => {
    const history = [query, ...exchange(0, 'small'), ...exchange(1, large, 'error-text')]
    expect(await texts(strandsOffloader, history)).toEqual(history.map(wireText))
  })

  it('previews a large one, and finds a line of it by the reference in the preview', async () => {
    const offloader = open(strandsOffloader)
    const sent = await offloader.prepare([query, ...exchange(0, large)])
    const stub = wireText(sent[2] ?? query)
    expect(stub.length).toBeLessThan(5_000)
    expect(stub).not.toContain('ZZ99XX')
    const recalled = await offloader.recall?.({ value: 'ZZ99XX', stub })
    expect(recalled?.text).toContain('fact ZZ99XX')
  })

  it('has forgotten it twenty calls of the model later', async () => {
    const offloader = open(strandsOffloader)
    const history = [query, ...exchange(0, large)]
    const stub = wireText((await offloader.prepare(history))[2] ?? query)
    for (let call = 0; call < 21; call += 1) await offloader.prepare(history)
    const recalled = await offloader.recall?.({ value: 'ZZ99XX', stub })
    expect(recalled?.text).toContain('reference not found')
  })
})
