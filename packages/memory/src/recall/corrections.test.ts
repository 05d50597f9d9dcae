import { describe, expect, it } from 'vitest'
import { noon, sample } from '../testing/sample.ts'
import { ann, note, setUp, tell } from '../testing-fixtures/told-memory.ts'
import { rankCorrections } from './corrections.ts'

describe('rankCorrections', () => {
  it('tells what superseded something from what did not', () => {
    const candidates = [
      { key: '0:new', entry: { ...sample('new', { supersedes: ['old'] }), version: 1 } },
      { key: '0:other', entry: { ...sample('other'), version: 1 } },
      { key: '0:none', entry: { ...sample('none', { supersedes: [] }), version: 1 } },
    ]
    expect(rankCorrections(candidates).ranked).toEqual([{ key: '0:new', score: 1 }])
  })

  it('puts a correction before the old messages that still say the old thing', async () => {
    const { memory, clock } = setUp()
    const said = [
      'I live in Lyon.',
      'My flat where I live in Lyon is small.',
      'Where I live? Lyon!',
    ]
    for (const [index, text] of said.entries()) {
      const fact = index === 0 ? note({ kind: 'fact', content: 'Ann lives in Lyon.' }) : ''
      await tell(
        memory,
        ann,
        [
          ['user', text],
          ['assistant', `Noted. ${fact}`],
        ],
        `turn-${index}`,
      )
    }
    const { entries } = await memory.list(ann, { filter: { kind: 'fact' } })
    clock.now = noon + 60_000
    const id = entries[0]?.id ?? ''
    await memory.correct(ann, { id, content: 'Ann lives in Paris.', author: 'ann' })
    for (const query of ['Where does Ann live?', 'Where do I live?']) {
      const { items } = await memory.hydrate(ann, { query })
      expect(items[0]?.content).toBe('Ann lives in Paris.')
      expect(items[0]?.because.map(({ signal }) => signal)).toContain('correction')
    }
    const { items } = await memory.hydrate(ann, { query: 'Is the flat small?' })
    expect(items[0]?.content).toBe('My flat where I live in Lyon is small.')
  })
})
