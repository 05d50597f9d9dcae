import { expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { planPrune } from './plan-prune.ts'

const day = 86_400_000

it('lets go of faded episodes that nobody recalled or called important, and of nothing else', () => {
  const stored = (id: string, more: object) => ({ ...sample(id, more), version: 1 })
  const old = { layer: 'episodic', updatedAt: 0, createdAt: 0 }
  const entries = [
    stored('faded', old),
    stored('recalled', { ...old, recallCount: 1 }),
    stored('important', { ...old, importance: 6 }),
    stored('fresh', { ...old, updatedAt: 390 * day }),
    stored('known', { ...old, layer: 'semantic' }),
    stored('planned', { ...old, layer: 'prospective' }),
  ]
  const options = { now: 400 * day, halfLifeMs: 30 * day }
  expect(planPrune(entries, options)).toEqual(['faded'])
})

it('lets go of what was said again later in the same words, a half-life after it was last looked at', () => {
  const asked = { content: 'What is my gate for the Tokyo flight?', recallCount: 1, strength: 0.5 }
  const stored = (id: string, at: number, more: object = {}) => ({
    ...sample(id, {
      layer: 'episodic',
      provenance: { source: 'turn', author: 'user' },
      ...{ ...asked, createdAt: at, updatedAt: at, occurredAt: at },
      ...more,
    }),
    version: 1,
  })
  const entries = [
    stored('first', 0),
    stored('second', day, { content: 'what is my gate  for the Tokyo flight?' }),
    stored('last', 2 * day),
    stored('recalled lately', 0, { lastRecalledAt: 30 * day }),
    stored('important', 0, { importance: 6 }),
    stored('another', 0, { content: 'What is my gate for the Kyoto flight?' }),
    stored('by another', 0, { provenance: { source: 'turn', author: 'assistant' } }),
    stored('known', 0, { layer: 'semantic' }),
    stored('replaced', 9 * day, { content: 'It is on the board, as ever.', supersededBy: 'x' }),
    stored('holds', 0, { content: 'It is on the board, as ever.' }),
    // What it means stands before it.
    stored('yes', 0, { content: 'Yes, please.' }),
    stored('yes again', 2 * day, { content: 'Yes, please.' }),
    stored('why', 0, { content: 'Why?' }),
    stored('why again', 2 * day, { content: 'Why?' }),
  ]
  const options = { now: 40 * day, halfLifeMs: 30 * day }
  expect(planPrune(entries, options)).toEqual(['first', 'second', 'why'])
  expect(planPrune(entries, { ...options, now: 20 * day })).toEqual([])
})

it('leaves the copy that was recalled, though it was said again later and never recalled since', () => {
  const stored = (id: string, at: number, recallCount: number) => ({
    ...sample(id, {
      ...{ layer: 'episodic', content: 'My gate for the Tokyo flight is B12.' },
      ...{ createdAt: at, updatedAt: at, occurredAt: at, recallCount },
    }),
    version: 1,
  })
  const options = { now: 400 * day, halfLifeMs: 30 * day }
  const entries = [stored('never', 0, 0), stored('recalled', day, 5), stored('again', 2 * day, 0)]
  expect(planPrune(entries, options)).toEqual(['never', 'again'])
})
