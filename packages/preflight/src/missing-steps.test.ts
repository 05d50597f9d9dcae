import { describe, expect, it } from 'vitest'
import { missingSteps } from './missing-steps.ts'

type Graph = Record<string, string[]>

describe('missingSteps', () => {
  it.each<[string, Graph, string[], string[]]>([
    ['has nothing to do for a tool without requirements', {}, [], []],
    ['lists direct requirements in the order given', { act: ['a', 'b'] }, [], ['a', 'b']],
    ['leaves out what is done', { act: ['a', 'b'] }, ['a'], ['b']],
    ['puts the requirement of a requirement first', { act: ['b'], b: ['a'] }, [], ['a', 'b']],
    ['does not ask again what a done tool required', { act: ['b'], b: ['a'] }, ['b'], []],
    ['stops at a done requirement of a requirement', { act: ['b'], b: ['a'] }, ['a'], ['b']],
    [
      'lists a shared requirement once, before both',
      { act: ['b', 'c'], b: ['a'], c: ['a'] },
      [],
      ['a', 'b', 'c'],
    ],
    [
      'keeps an order in which each is allowed, even against the order given',
      { act: ['b', 'a'], b: ['a'] },
      [],
      ['a', 'b'],
    ],
    ['takes repeated requirements', { act: ['a', 'a'] }, [], ['a']],
  ])('%s', (_, graph, done, steps) => {
    expect(walk(graph, done)).toEqual({ steps, circle: [] })
  })

  it.each<[string, Graph, string[], string[]]>([
    ['the tool itself', { act: ['act'] }, ['act'], ['act']],
    ['the tool itself, twice', { act: ['act', 'act'] }, ['act'], ['act']],
    ['the tool itself, after another', { act: ['b', 'act'], b: ['b'] }, ['b', 'act'], ['b']],
    ['the tool and another', { act: ['b'], b: ['act'] }, ['b'], ['act', 'b']],
    ['two others', { act: ['b'], b: ['c'], c: ['b'] }, ['c', 'b'], ['b', 'c']],
    ['a tool that requires itself', { act: ['b'], b: ['b'] }, ['b'], ['b']],
    ['one branch only', { act: ['a', 'b'], b: ['c'], c: ['b'] }, ['a', 'c', 'b'], ['b', 'c']],
  ])('ends at a circle of %s and names it', (_, graph, steps, circle) => {
    expect(walk(graph, [])).toEqual({ steps, circle })
  })

  it('sees no circle where a done tool opens it', () => {
    expect(walk({ act: ['b'], b: ['c'], c: ['b', 'a'] }, ['c'])).toEqual({
      steps: ['b'],
      circle: [],
    })
  })

  it('walks a chain of 50,000 tools without running out of stack', () => {
    const { steps } = missingSteps(
      '0',
      (tool) => (Number(tool) < 50_000 ? [`${Number(tool) + 1}`] : []),
      () => false,
    )
    expect(steps).toHaveLength(50_000)
    expect(steps[0]).toBe('50000')
  })
})

function walk(graph: Graph, done: string[]) {
  return missingSteps(
    'act',
    (tool) => graph[tool] ?? [],
    (tool) => done.includes(tool),
  )
}
