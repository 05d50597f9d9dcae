import { describe, expect, it, vi } from 'vitest'
import { createLocalModel } from '../local-model/local-model.ts'
import { createKeyboard, createSink } from '../testing/memory-streams.ts'
import { chat } from './chat.ts'
import { createTypedAhead } from './keys.ts'
import { type DeskEvent, openSession } from './session.ts'

const slow = { thinkMs: 40, deltaMs: 5 }

/** A chat with somebody at the keyboard. */
function startChat() {
  const { keyboard, modes, type } = createKeyboard()
  const screen = createSink({ columns: 80 })
  const events: DeskEvent[] = []
  const notes: string[] = []
  const left = chat({
    input: keyboard,
    screen,
    session: openSession({ model: createLocalModel({ pace: slow }), today: '2026-11-30' }),
    speaker: { user: 'mia', platform: 'web' },
    watch: (event) => events.push(event),
    tell: (told) => notes.push(String(told)),
    describe: ({ kind }, { user, platform }) => `${kind} of ${user} on ${platform}`,
  })
  const seen = (wanted: DeskEvent['type'], times = 1) =>
    vi.waitFor(
      () =>
        expect(events.filter(({ type }) => type === wanted).length).toBeGreaterThanOrEqual(times),
      20_000,
    )
  const asked = (times: number) =>
    vi.waitFor(() => expect(screen.text().split(' › ').length).toBeGreaterThan(times), 20_000)
  return { left, type, seen, asked, screen, events, notes, modes }
}

describe('the chat', { timeout: 30_000 }, () => {
  it('answers, switches user and platform, and leaves with 0', async () => {
    const { left, type, seen, notes, screen, asked } = startChat()
    await asked(1)
    type('hello\r')
    await seen('turn-end')
    await asked(2)
    type('/as omar\r')
    await asked(3)
    type('/on slack\r')
    await asked(4)
    type('/state\r')
    await asked(5)
    type('/nonsense\r')
    await asked(6)
    type('/quit\r')
    expect(await left).toBe(0)
    expect(screen.text()).toContain('Omar Haddad on slack › ')
    expect(notes).toEqual(['state of omar on slack', expect.stringContaining('/nonsense')])
  })

  it('Ctrl-C stops the running answer and the chat goes on', async () => {
    const { left, type, seen, events, asked } = startChat()
    await asked(1)
    type('hello\r')
    await seen('text-delta')
    type('\u0003')
    await seen('turn-abort')
    await asked(2)
    type('hello\r')
    await seen('turn-end')
    await asked(3)
    type('/quit\r')
    expect(await left).toBe(0)
    expect(events.filter(({ type }) => type === 'turn-start')).toHaveLength(2)
  })

  it('a second Ctrl-C leaves at once with 130, out of raw mode', async () => {
    const { left, type, seen, modes, asked } = startChat()
    await asked(1)
    type('hello\r')
    await seen('step-start')
    type('\u0003\u0003')
    expect(await left).toBe(130)
    expect(modes.at(-1)).toBe(false)
  })

  it.each([
    { key: 'Ctrl-C', code: '\u0003' },
    { key: 'Ctrl-D', code: '\u0004' },
  ])('$key at the prompt leaves with 0', async ({ code }) => {
    const { left, type, asked } = startChat()
    await asked(1)
    type(code)
    expect(await left).toBe(0)
  })

  it('keeps what is typed while an answer runs', async () => {
    const { left, type, seen, events, asked } = startChat()
    await asked(1)
    type('hello\r')
    await seen('text-delta')
    type('thanks\r/qu')
    await seen('turn-end', 2)
    await asked(3)
    type('it\r')
    expect(await left).toBe(0)
    const said = events.flatMap((event) => (event.type === 'user-said' ? [event.text] : []))
    expect(said).toEqual(['hello', 'thanks'])
  })
})

describe('what is typed ahead', () => {
  it('is edited by backspace, ended by Enter, and untouched by arrows', () => {
    const ahead = createTypedAhead()
    ahead.add('helo\u007flo\u001b[D\u001b[1;5C\u001bOA\t\u0001!\rnext')
    expect(ahead.takeLine()).toBe('hello!')
    expect(ahead.takeLine()).toBeUndefined()
    expect(ahead.takeRest()).toBe('next')
    expect(ahead.takeRest()).toBe('')
  })
})
