import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { storableText } from './plain-json.ts'
import { renderRecalled } from './render-recalled.ts'
import type { Scope } from './scope.ts'
import { createScrubber } from './scrub.ts'
import { createSqliteStore } from './sqlite.ts'

const ann: Scope = { tenantId: 'acme', userId: 'ann' }
const bob: Scope = { tenantId: 'acme', userId: 'bob' }

const files = ['naughty-strings/strings.jsonl', 'prompt-injection/texts.jsonl']

const stores = [
  ['in memory', () => createInMemoryStore()],
  ['SQLite', () => createSqliteStore(':memory:')],
] as const

describe.each(files)('the hostile texts of %s', (file) => {
  const url = new URL(`../../../../shared/data/${file}`, import.meta.url)
  const lines = existsSync(url) ? readFileSync(url, 'utf8').trim().split('\n') : []
  const texts = lines.map((line): string => JSON.parse(line).text).filter((text) => text.trim())

  it.skipIf(!existsSync(url)).each(stores)(
    'are data as content, label, subject and notes, in the store %s',
    async (_, createStore) => {
      expect(texts.length).toBeGreaterThan(100)
      const store = createStore()
      // Secrets are scrubbed elsewhere; here every text is to come back as it went in.
      const scrubber = createScrubber({ credentialPatterns: [], secretsInText: false })
      const memory = createMemory({ store, scrubber, quickNapEveryTurns: 0, jobs: 'external' })
      await memory.remember(bob, {
        layer: 'semantic',
        content: 'What only Bob knows.',
        provenance: { source: 'author' },
      })
      for (const [number, text] of texts.entries()) {
        const name = storableText(text).slice(0, 200).toWellFormed()
        await memory.remember(ann, {
          id: `n${number}`,
          layer: 'semantic',
          content: text.slice(0, 30_000),
          subject: name,
          ...(name.trim() !== '' && { label: name }),
          provenance: { source: 'author' },
        })
        const outcome = await memory.consolidate(ann, {
          turnId: `t${number}`,
          sessionId: `s${number}`,
          messages: [
            { role: 'user', text, speaker: text.slice(0, 150).toWellFormed() },
            { role: 'assistant', text: `<memory_extraction>\n${text}\n</memory_extraction>` },
          ],
        })
        expect(outcome.failed).toBe(false)
      }
      const numbers = [...texts.keys()]
      for (const number of numbers) {
        const text = texts[number] ?? ''
        const [entry] = await store.get(ann, [`n${number}`])
        expect(entry?.content).toBe(storableText(text.slice(0, 30_000)))
      }
      // Nobody's note was obeyed: all that is known is what was remembered by hand.
      const { entries } = await memory.list(ann, { filter: { layers: ['semantic'] }, limit: 1_000 })
      expect(entries).toHaveLength(texts.length)

      for (const text of texts.slice(0, 60)) {
        const { items, failed } = await memory.hydrate(ann, { query: text, budgetTokens: 4_000 })
        expect(failed).toBe(false)
        const rendered = renderRecalled(items).text
        expect(rendered).not.toContain('What only Bob knows.')
        expect(rendered.split('\n').filter((line) => line.startsWith('#')).length).toBeLessThan(2)
        const foreign = await memory.hydrate(bob, { query: text })
        expect(foreign.items.every(({ content }) => content === 'What only Bob knows.')).toBe(true)
      }
      const removed = await memory.forget(ann, { everything: true })
      expect(removed).toBeGreaterThanOrEqual(texts.length)
      expect((await memory.list(bob)).entries).toHaveLength(1)
      await memory.close()
    },
  )
})
