import type { PromptChange, TurnCacheReport } from '@symfonic/kernel'
import { describe, expect, it } from 'vitest'
import { unsafeCharactersIn } from '../testing/unsafe-characters.ts'
import { describeCache, describeComparison } from './prompt-lines.ts'

const change: PromptChange = {
  kind: 'changed',
  layer: 'L1',
  section: 'Domain Plugin',
  capability: 'plugins',
  origin: 'clock',
  ...{ byte: 1_046, before: '3Z.', after: '4Z.' },
}
const cache: TurnCacheReport = {
  expectedTokens: 1_500,
  predictedTokens: 1_000,
  readTokens: 1_002,
  writtenTokens: 9,
  parted: undefined,
}
const sums = '1,002 tokens read, 1,000 predicted'

describe('what changed since the last prompt', () => {
  const lineOf = (stable: boolean, ...changes: PromptChange[]) =>
    describeComparison({ stable, changes, sharedBytes: 0 })

  it.each([
    [lineOf(true), 'nothing', false],
    [lineOf(false, change), 'L1 from byte 1,046, plugin clock: "3Z." → "4Z."', true],
    [
      lineOf(true, { ...change, layer: 'L2' }, { ...change, layer: 'L2', origin: undefined }),
      'nothing that is cached; in L2 plugin clock, section Domain Plugin',
      false,
    ],
    [
      lineOf(false, { ...change, kind: 'removed', origin: undefined, after: '' }),
      'L1 from byte 1,046, section Domain Plugin removed: "3Z." → ""',
      true,
    ],
    [
      lineOf(false, { ...change, layer: 'tools', section: 'pay', byte: 7 }),
      'tools from byte 7, the definition of pay: "3Z." → "4Z."',
      true,
    ],
    [
      lineOf(
        false,
        change,
        { ...change, origin: 'mood' },
        { ...change, layer: 'L2', origin: 'now' },
      ),
      'L1 from byte 1,046, plugin clock: "3Z." → "4Z."; also plugin mood',
      true,
    ],
  ])('%j', (line, text, breaks) => {
    expect(line).toEqual({ text, breaks })
  })

  it('shows the difference behind all the context a quote may have', () => {
    const lead = `…${'x'.repeat(30)}`
    const { text } = lineOf(false, { ...change, before: `${lead}1`, after: `${lead}2` })
    expect(text).toContain(`"${lead}1" → "${lead}2"`)
  })

  it('stays one short, safe line whatever was written into a prompt', () => {
    const { text } = lineOf(false, { ...change, after: `\u001b[2J\n${'x'.repeat(500)}` })
    expect(text).not.toContain('\n')
    expect(text.length).toBeLessThan(160)
    expect(unsafeCharactersIn(text)).toEqual([])
  })
})

describe('what the cache gave', () => {
  it.each([
    [undefined, sums],
    [
      { step: 1, verdict: 'broken', missedTokens: 498, change },
      `${sums}; 498 fewer by plugin clock`,
    ],
    [
      { step: 2, verdict: 'lost', missedTokens: 1_200, change: undefined },
      `${sums}; 1,200 fewer by the provider`,
    ],
    [
      {
        step: 2,
        verdict: 'broken',
        missedTokens: undefined,
        change: { kind: 'changed', layer: 'messages', index: 3 },
      },
      `${sums}; ? fewer by message 3`,
    ],
  ] as const)('%j', (parted, line) => {
    expect(describeCache({ ...cache, parted })).toBe(line)
  })

  it('is not known of a provider that does not count', () => {
    expect(describeCache({ ...cache, readTokens: undefined })).toContain('? tokens read')
  })
})
