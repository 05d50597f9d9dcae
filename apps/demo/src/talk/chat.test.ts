import { describe, expect, it, vi } from 'vitest'
import { createLocalModel } from '../local-model/local-model.ts'
import { createKeyboard, createSink } from '../testing/memory-streams.ts'
import { chat } from './chat.ts'
import { createTypedAhead } from './keys.ts'
import { type DeskEvent, openSession } from './session.ts'

// Each word takes a turn of the event loop, so that a key that is hit at one arrives before the next.
const slow = { thinkMs: 5, deltaMs: 1 }

/** A chat with somebody at the keyboard. */
function startChat() {
  const { keyboard, modes, type } = createKeyboard()
  const screen = createSink({ columns: 80 })
  const events: DeskEvent[] = []
  const notes: string[] = []
  const keys = new Map<DeskEvent['type'], string>()
  const left = chat({
    input: keyboard,
    screen,
    session: openSession({ model: createLocalModel({ pace: slow }), today: '2026-11-30' }),
    speaker: { user: 'mia', platform: 'web' },
    watch: (event) => {
      events.push(event)
      const typed = keys.get(event.type)
      keys.delete(event.type)
      if (typed !== undefined) type(typed)
    },
    tell: (told) => notes.push(String(told)),
    describe: ({ kind }, { user, platform }) => `${kind} of ${user} on ${platform}`,
  })
  const seen = (wanted: DeskEvent['type'], times = 1) =>
    vi.waitFor(
      () =>
        expect(events.filter(({ type }) => type === wanted).length).toBeGreaterThanOrEqual(times),
      50_000,
    )
  const asked = (times: number) =>
    vi.waitFor(() => expect(screen.text().split(' › ').length).toBeGreaterThan(times), 50_000)
  /** Hits keys in the moment of the next such event. */
  const typeAt = (when: DeskEvent['type'], what: string) => keys.set(when, what)
  return { left, type, typeAt, seen, asked, screen, events, notes, modes }
}

describe('the chat', () => {
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
    const { left, type, typeAt, seen, events, asked } = startChat()
    await asked(1)
    typeAt('text-delta', '\u0003')
    type('hello\r')
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
    const { left, type, typeAt, modes, asked } = startChat()
    await asked(1)
    typeAt('step-start', '\u0003\u0003')
    type('hello\r')
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
    const { left, type, typeAt, seen, events, asked } = startChat()
    await asked(1)
    typeAt('text-delta', 'thanks\r/qu')
    type('hello\r')
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
