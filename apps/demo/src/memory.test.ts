import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDeskMemory } from './desk/memory.ts'
import { scopeOf } from './desk/speaker.ts'
import type { DeskEvent } from './talk/session.ts'
import { spawnDemo } from './testing/spawn-demo.ts'

function memoryFile() {
  const folder = mkdtempSync(join(tmpdir(), 'desk-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'desk.db')
}

const eventsIn = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DeskEvent & { readonly turn?: number })

const recalledIn = (stdout: string) =>
  eventsIn(stdout).flatMap((event) => (event.type === 'memory-recalled' ? [event] : []))

describe('the memory of the demo', () => {
  it('played twice on one file, it remembers in the second run what the first was told', async () => {
    const file = memoryFile()
    const play = () => spawnDemo({ args: ['--json', '--memory', file] })
    const [first, second] = [await play(), await play()]
    expect([first.status, second.status, first.stderr, second.stderr]).toEqual([0, 0, '', ''])
    const [before, after] = [recalledIn(first.stdout), recalledIn(second.stdout)]
    expect(before[0]?.items).toEqual([])
    expect(after[0]?.items.map(({ content }) => content)).toContain(
      'Hello, which reservations do I have?',
    )
    // What was forgotten at the end of the first run is not known at the beginning of the second.
    const omarOnSlack = after.find(({ speaker }) => {
      return speaker.user === 'omar' && speaker.platform === 'slack'
    })
    expect(omarOnSlack?.items).toEqual([])
    for (const { speaker, items } of [...before, ...after]) {
      expect(items.filter(({ scope }) => scope.userId !== speaker.user)).toEqual([])
    }
  })

  it('tells across runs, on the page and over the environment as well', async () => {
    const env = { SYMFONIC_MEMORY: memoryFile() }
    await spawnDemo({ env, input: '/on slack\nRemember that I like a window seat\n' })
    const { stdout } = await spawnDemo({ env, input: '/on slack\nWhat seat do I like?\n' })
    expect(stdout).toMatch(/remembers in\s+\S+desk\.db, from run to run/)
    expect(stdout).toContain('‹ I remember: *window seat*.')
    expect(stdout).not.toContain('→ recall_preferences')
  })

  it('without a file runs the same every time, and leaves nothing behind', async () => {
    const input = 'I prefer an aisle seat\nWhat seat do I like?\n/memory\n/why\n'
    const runs = [await spawnDemo({ input }), await spawnDemo({ input })]
    const steady = runs.map(({ stdout }) => {
      return stdout.replace(/\d+\.\d\d s|\bm_\w{6}\b/g, '')
    })
    expect(steady[0]).toBe(steady[1])
    expect(runs[0]?.stdout).toContain('in a temporary file, gone with this run')
  })

  it('shows, explains, corrects and forgets for whoever speaks, also in JSON', async () => {
    const file = memoryFile()
    const run = (lines: readonly string[]) =>
      spawnDemo({ args: ['--json', '--memory', file], input: lines.join('\n') })
    const told = await run(['I prefer an aisle seat', '/why', '/memory', '/as omar', '/memory'])
    const [mine, others] = eventsIn(told.stdout).flatMap((event) =>
      event.type === 'memory-shown' ? [event] : [],
    )
    expect(mine?.blocks).toContainEqual(
      expect.objectContaining({ layer: 'semantic', label: 'seat', entryCount: 1 }),
    )
    expect(others?.entries).toEqual([])
    const id = mine?.entries.find(({ kind }) => kind === 'preference')?.id ?? ''

    const changed = await run([
      ...[`/correct ${id} window seat`, 'What seat do I like?', '/forget everything', '/memory'],
      'What seat do I like?',
    ])
    const answers = eventsIn(changed.stdout).flatMap((event) =>
      event.type === 'turn-end' ? [(event as unknown as { text: string }).text] : [],
    )
    expect(answers).toEqual([
      'I remember: **window seat**.',
      'I have noted nothing about that for you.',
    ])
    expect(eventsIn(changed.stdout)).toContainEqual(
      expect.objectContaining({ type: 'memory-forgotten', left: 0 }),
    )
    const memory = createDeskMemory({ store: createSqliteStore(file) })
    const { entries } = await memory.list(scopeOf({ user: 'mia', platform: 'web' }))
    await memory.close()
    expect(JSON.stringify(entries)).not.toMatch(/aisle|window/)
  })

  it('never shows what the model notes, and has it afterwards', async () => {
    const { stdout } = await spawnDemo({})
    expect(stdout).not.toContain('memory_extraction')
    const words = stdout.replace(/\s+/g, ' ')
    expect(words).toContain(
      'noted by the model, unseen: semantic preference, seat "Omar Haddad prefers an aisle seat."',
    )
    expect(words).toContain('✓ what the model notes for memory is shown to nobody')
    expect(words).toContain('✓ nobody is reminded of what another person said')
  })

  it('ends 2 and says why when the file cannot be opened, or is not named', async () => {
    const away = join(memoryFile(), 'not', 'there.db')
    const { status, stderr } = await spawnDemo({ args: ['--memory', away] })
    expect(status).toBe(2)
    expect(stderr).toContain('Check the path')
    expect(existsSync(away)).toBe(false)
    expect((await spawnDemo({ args: ['--memory', '--play'] })).stderr).toContain('--memory <file>')
  })
})
