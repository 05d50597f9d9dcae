import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { atOnce } from './local-model/stream-content.ts'
import { runDemo } from './run-demo.ts'
import { widthOf } from './show/wrap.ts'
import { type ChatRequest, withChatServer } from './testing/chat-server.ts'
import { createKeyboard, createSink, pipedInput } from './testing/memory-streams.ts'

const escapes = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]`, 'g')
const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'

/** Of somebody at a terminal, whose memory is not that of whoever runs the tests. */
function chatEnv() {
  const folder = mkdtempSync(join(tmpdir(), 'desk-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { TERM: 'xterm', SYMFONIC_MEMORY: join(folder, 'desk.db') }
}

describe('the demo', () => {
  it.each([80, 120, 40])('keeps its lines within a terminal of %i columns', async (columns) => {
    const stdout = createSink({ columns })
    const stdin = pipedInput('Cancel K4T9QX\nAdd two bags to B7M2LD\n')
    const around = { args: [], env: {}, stdin, stdout, stderr: createSink(), pace: atOnce }
    expect(await runDemo(around)).toBe(0)
    expect(stdout.text()).toMatch(escapes)
    const lines = stdout.text().replace(escapes, '').split('\n')
    expect(lines.length).toBeGreaterThan(30)
    expect(lines.filter((line) => widthOf(line) > columns)).toEqual([])
  })

  it('chats at a terminal, and spins on stderr while it waits', async () => {
    const { keyboard, type } = createKeyboard()
    const stdout = createSink({ columns: 80 })
    const stderr = createSink({ columns: 80 })
    const left = runDemo({ args: [], env: chatEnv(), stdin: keyboard, stdout, stderr })
    const shows = (text: string) => vi.waitFor(() => expect(stdout.text()).toContain(text), 50_000)
    await shows('desk.db, from run to run')
    await shows('Mia Lindqvist on web › ')
    type('hello\r')
    await shows(' tokens in')
    await shows('2 said')
    type('/memory\r')
    await shows('2 entries of Mia Lindqvist on web')
    type('/quit\r')
    expect(await left).toBe(0)
    expect(stderr.text()).toContain('thinking')
    expect(stdout.text()).toContain('Try, in this order:')
  })

  it('gives the cursor back when an answer is cut off while it spins', async () => {
    // The spinner asks the process whether it may move, and on a build machine it may not.
    vi.stubEnv('CI', undefined)
    vi.stubEnv('TERM', 'xterm')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { keyboard, type } = createKeyboard()
    const stdout = createSink({ columns: 80 })
    const stderr = createSink({ columns: 80 })
    const pace = { ...atOnce, thinkMs: 60_000 }
    const left = runDemo({
      args: [],
      env: chatEnv(),
      stdin: keyboard,
      stdout,
      stderr,
      pace,
    })
    await vi.waitFor(() => expect(stdout.text()).toContain('Mia Lindqvist on web › '), 50_000)
    type('hello\r')
    await vi.waitFor(() => expect(stderr.text()).toContain('thinking'), 50_000)
    expect(stderr.text().lastIndexOf(hideCursor)).toBeGreaterThan(-1)
    type('\x03\x03')
    expect(await left).toBe(130)
    expect(stderr.text().lastIndexOf(showCursor)).toBeGreaterThan(
      stderr.text().lastIndexOf(hideCursor),
    )
  })

  it('ends 1 and says so when the conversation does not show what it promises', async () => {
    await withChatServer(
      () => ({ text: 'No idea.' }),
      async (server) => {
        const stdout = createSink()
        const stderr = createSink()
        const env = { SYMFONIC_MODEL: server.url, SYMFONIC_MODEL_NAME: 'small' }
        expect(await runDemo({ args: [], env, stdin: pipedInput(''), stdout, stderr })).toBe(1)
        expect(stdout.text()).toContain('✗ the answer says "K4T9QX" (not shown)')
        expect(stdout.text().replace(/\s+/g, ' ')).toContain(
          '– cancel_reservation is refused, then corrected (not shown, and not asked of this model)',
        )
        expect(stderr.text()).toContain('did not show what it promised')
      },
    )
  })

  it('ends 1 when a turn failed, and answers the lines behind it', async () => {
    let requests = 0
    const reply = () => {
      requests += 1
      return requests === 1 ? { status: 400, message: 'not today' } : { text: 'Better now.' }
    }
    await withChatServer(reply, async (server) => {
      const stdout = createSink()
      const env = { SYMFONIC_MODEL: server.url, SYMFONIC_MODEL_NAME: 'small' }
      const stdin = pipedInput('one\ntwo\n')
      expect(await runDemo({ args: [], env, stdin, stdout, stderr: createSink() })).toBe(1)
      expect(stdout.text()).toContain('not today')
      expect(stdout.text()).toContain('Better now.')
    })
  })

  it('ends 2 when its model cannot be chosen', async () => {
    const stderr = createSink()
    const around = { args: [], env: { SYMFONIC_MODEL: 'x' }, stdin: pipedInput('') }
    expect(await runDemo({ ...around, stdout: createSink(), stderr })).toBe(2)
    expect(stderr.text()).toContain('SYMFONIC_MODEL is "x"')
  })

  it('plays the written conversation on demand, whatever stdin holds', async () => {
    const stdout = createSink()
    const stdin = pipedInput('hello\n')
    const code = await runDemo({ args: ['--play'], env: {}, stdin, stdout, stderr: createSink() })
    expect(code).toBe(0)
    expect(stdout.text()).toContain('what this has shown')
  })

  it('reads the clock it is given, and no other', async () => {
    const play = async () => {
      const stdout = createSink()
      let seconds = 0
      const now = () => {
        seconds += 1
        return new Date(Date.UTC(2026, 10, 30, 0, 0, seconds))
      }
      const around = { args: ['--clock-in-prefix', '--play'], env: {}, stdin: pipedInput('') }
      expect(await runDemo({ ...around, stdout, stderr: createSink(), now })).toBe(0)
      return stdout.text().replace(/\d+\.\d\d s/g, '')
    }
    const first = await play()
    expect(first).toMatch(
      /plugin clock: "It is 2026-11-30T00:00:\d\d.000Z." →\s+"It is 2026-11-30T00:00:\d\d.000Z."/,
    )
    expect(await play()).toBe(first)
  })

  it('does not let a tool result write to the terminal', async () => {
    const reply = ({ body }: ChatRequest) =>
      body.messages.at(-1)?.role === 'tool'
        ? { text: 'seen \u001b[2J\u009b31m' }
        : { call: { name: 'find_traveller', input: { name: '\u001b]0;owned\u0007' } } }
    await withChatServer(reply, async (server) => {
      const stdout = createSink()
      const env = { SYMFONIC_MODEL: server.url, SYMFONIC_MODEL_NAME: 'small' }
      await runDemo({ args: [], env, stdin: pipedInput('go\n'), stdout, stderr: createSink() })
      expect(stdout.text()).toContain('No traveller is called \\u{1b}]0;owned\\u{7}')
      expect(stdout.text()).toContain('seen \\u{1b}[2J\\u{9b}31m')
      expect(stdout.text()).not.toContain('\u001b')
    })
  })
})
