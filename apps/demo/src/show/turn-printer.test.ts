import { scriptedModel } from '@symfonic/kernel/testing'
import { defineSkill } from '@symfonic/preflight'
import { describe, expect, it } from 'vitest'
import { runTurn } from '../talk/run-turn.ts'
import { type DeskEvent, openSession } from '../talk/session.ts'
import { createJsonPrinter } from './json-lines.ts'
import { createPaint } from './paint.ts'
import { createTurnPrinter } from './turn-printer.ts'

/** What is printed of some events. */
function printed(events: readonly DeskEvent[], echo = true): string {
  let text = ''
  const write = (piece: string) => {
    text += piece
  }
  const printer = createTurnPrinter(
    { paint: createPaint({}, {}), columns: () => 80, write },
    { echo },
  )
  for (const event of events) printer.print(event)
  return text
}

/** The events of a turn whose model does what the script says. */
async function eventsOf(script: Parameters<typeof scriptedModel>[0], says = 'go') {
  const events: DeskEvent[] = []
  const session = openSession({ model: scriptedModel(script), today: '2026-11-30' })
  await runTurn(session, { user: 'mia', platform: 'web' }, says, (event) => events.push(event))
  return events
}

const call = (name: string, input: object) => ({ name, input })
const read = (id: string) => call('read_reservation', { reservation_id: id })

describe('printing a turn', () => {
  it('says whose each result is when several calls of a step run side by side', async () => {
    const events = await eventsOf([{ toolCalls: [read('K4T9QX'), read('ZZ9ZZ9')] }, { text: 'ok' }])
    const text = printed(events)
    expect(text).toContain('✓ read_reservation { reservation_id: K4T9QX')
    expect(text).toContain('✗ read_reservation failed: There is no reservation ZZ9ZZ9.')
    expect(text).toContain('order    read_reservation ✓ → read_reservation ✗')
  })

  it('streams the answer as it comes, wrapped and without trailing blanks', async () => {
    const events = await eventsOf([{ text: `${'word '.repeat(40)}\n\n- one` }])
    const answer = printed(events).split('‹ ')[1]?.split('\n\n  cost')[0] ?? ''
    const lines = answer.split('\n')
    expect(lines.length).toBeGreaterThan(3)
    expect(lines.at(-1)).toBe('    - one')
    expect(lines.every((line) => line.length <= 80)).toBe(true)
    expect(lines).toContain('')
  })

  it('ends the answer where it ends, though a note for memory stood behind it', async () => {
    const note = '{"kind":"fact","content":"Mia is vegan."}'
    const text = `One.\n\nTwo.\n\n<memory_extraction>\n${note}\n</memory_extraction>\n`
    expect(printed(await eventsOf([{ text }]))).toMatch(/‹ One\.\n\n {4}Two\.\n\n {2}cost/)
  })

  it('names the plugin that refused a call, and its reason', async () => {
    const tokyo = { reservation_id: 'W5D9KU' }
    const script = ['read_reservation', 'cancel_reservation'].map((name) => ({
      toolCalls: [call(name, tokyo)],
    }))
    const text = printed(await eventsOf([...script, { text: 'no' }])).replace(/\s+/g, ' ')
    expect(text).toContain('✗ refused by the plugin "approvals": A trip of 1,180 EUR is above 500')
  })

  it('reckons in input tokens where the model has no price', async () => {
    const search = call('search_flights', { origin: 'Paris', destination: 'Tokyo' })
    const text = printed(await eventsOf([{ toolCalls: [search] }, { text: 'ok' }]))
    const words = text.replace(/\s+/g, ' ')
    expect(words).toMatch(/stub search_flights: 21,674 chars, a stub of \d+ is sent, r_\w{6} /)
    expect(words).toMatch(/\(1 × 1\.25 \+ 9 × 0\.1\) .* = [\d,]+ input tokens saved/)
    expect(words).toMatch(
      /stubs \d+ chars of history sent, not [\d,]+; [\d,]+ of [\d,]+ input tokens saved/,
    )
  })

  it('says why a turn failed', async () => {
    const text = printed(await eventsOf([{ error: new Error('no \u001b[31m line') }]))
    expect(text).toContain('✗ The model call failed: no \\u{1b}[31m line.')
  })

  it('tells of an answer that was cut, and of its reason', async () => {
    const text = printed(await eventsOf([{ text: 'half an', finishReason: 'length' }]))
    expect(text).toContain('ended    ! length')
  })

  it('counts the turns and does not repeat what stands on the screen', () => {
    const said = (text: string): DeskEvent => ({
      type: 'user-said',
      speaker: { user: 'omar', platform: 'slack' },
      text,
    })
    expect(printed([said('one'), said('two\u0007')])).toMatch(
      /─ 1 · Omar Haddad on slack ─+\n\n {2}› one\n[\s\S]*─ 2 · Omar[\s\S]*› two\\u\{7\}/,
    )
    expect(printed([said('one')], false)).toBe('\n')
  })

  it('shows a forced tool, one that was not called, a section left out and a stop', () => {
    const skill = defineSkill({ label: 'L', actionTool: 'a' })
    const sized = { chars: 1_234, tokens: 309, hash: 'abcdef0123' }
    const layers = [{ ...sized, layer: 'L0' as const, sections: [], cached: false }]
    const place = { layer: 'L1' as const, capability: 'desk' }
    const report = {
      contextStrategy: 'stratified' as const,
      layerMode: 'stratigraphic' as const,
      kernelVersion: undefined,
      prefixHash: undefined,
      tools: { ...sized, names: [], definitions: [], marker: undefined },
      layers,
      failed: [
        { ...place, section: 'today', origin: undefined, reason: 'no clock' },
        { ...place, section: 'Domain Plugin', origin: 'mood', reason: 'no mood' },
      ],
    }
    const text = printed([
      { type: 'rules-selected', selection: { active: [skill], dropped: [] } },
      { type: 'prompt-assembled', report },
      { type: 'step-start', step: 1, forcedTool: 'a' },
      { type: 'text-delta', id: '1', text: 'half' },
      { type: 'forced-tool-ignored', step: 1, toolName: 'a' },
      { type: 'turn-abort', runId: 'r', reason: 'stop', messages: [] },
    ])
    expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
      '  rules    ● L: a → answer',
      '  prompt   L0 1,234 chars/309 tokens',
      '  hash     L0 abcdef',
      '           ✗ today left out: no clock',
      '           ✗ plugin mood left out: no mood',
      '  step 1   ! must call a',
      '',
      '  ‹ half',
      '           ! a was not called',
      '           ■ stopped',
      '',
    ])
  })
})

describe('printing JSON', () => {
  const linesOf = (events: readonly DeskEvent[]) => {
    const lines: string[] = []
    const printer = createJsonPrinter((line) => lines.push(line))
    for (const event of events) printer.print(event)
    return lines
  }

  it('is one line for each event, with the number of the turn', async () => {
    const events = await eventsOf([{ toolCalls: [read('K4T9QX')] }, { text: 'a\nb' }])
    const lines = linesOf([...events, ...events])
    expect(lines).toHaveLength(2 * events.length)
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true)
    const parsed = lines.map((line) => JSON.parse(line) as { turn: number; type: string })
    expect(parsed.map(({ type }) => type)).toEqual([...events, ...events].map(({ type }) => type))
    expect(new Set(parsed.map(({ turn }) => turn))).toEqual(new Set([1, 2]))
  })

  it('writes errors out and leaves transcripts away', async () => {
    const failing = await eventsOf([{ error: new Error('no line') }])
    const [last] = linesOf(failing).slice(-1)
    expect(JSON.parse(last ?? '')).toMatchObject({
      type: 'turn-error',
      error: { name: 'KernelError', code: 'KERNEL_MODEL_FAILED' },
    })
    const invalid = await eventsOf([
      { toolCalls: [call('read_reservation', { wrong: 1 })] },
      { text: 'ok' },
    ])
    const all = linesOf(invalid).join('')
    expect(all).toContain('"name":"AI_InvalidToolInputError"')
    expect(all).not.toContain('"messages"')
  })
})
