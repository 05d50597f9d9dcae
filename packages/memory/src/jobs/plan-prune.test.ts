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
