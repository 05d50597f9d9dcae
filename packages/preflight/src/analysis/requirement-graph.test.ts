import { describe, expect, it } from 'vitest'
import { defineSkill } from '../define-skill.ts'
import { createConditions } from './conditions.ts'
import { createDeadEnds } from './dead-ends.ts'
import { createPathKeys } from './path-keys.ts'
import { requirementGraph, shortestWay } from './requirement-graph.ts'
import { subjectsOf } from './subject.ts'

describe('the graph of requirements', () => {
  it.each<[string, string[], string[]]>([
    ['a chain', ['a b', 'b c'], []],
    ['a tool on itself', ['a a'], []],
    ['a circle of two', ['a b', 'b a'], ['a b', 'b a']],
    ['a circle with ways in and out', ['x a', 'a b', 'b a', 'b y'], ['a b', 'b a']],
    [
      'two circles with one tool in common',
      ['a b', 'b a', 'b c', 'c b'],
      ['a b', 'b a', 'b c', 'c b'],
    ],
    [
      'two circles with a way between',
      ['a b', 'b a', 'b c', 'c d', 'd c'],
      ['a b', 'b a', 'c d', 'd c'],
    ],
    ['a tool that two ways lead to', ['a b', 'a c', 'b d', 'c d'], []],
    ['a circle found from its middle', ['b c', 'c a', 'a b'], ['b c', 'c a', 'a b']],
  ])('knows what belongs to a circle in %s', (_, edges, knotted) => {
    const graph = graphOf(edges)
    const found = graph.all.filter(graph.isKnotted).map(({ from, to }) => `${from} ${to}`)
    expect(found).toEqual(knotted)
  })

  it('keeps all requirements in the order of the skills', () => {
    const { all, needs } = graphOf(['b a', 'a c', 'b d'])
    expect(all.map(({ from, to }) => from + to)).toEqual(['ba', 'ac', 'bd'])
    expect(needs.get('b')?.map(({ to }) => to)).toEqual(['a', 'd'])
  })

  it.each<[string, string, string, string[] | undefined]>([
    ['the shorter of two', 'a', 'd', ['a c', 'c d']],
    ['the way back to the start', 'b', 'b', ['b x', 'x b']],
    ['no way', 'd', 'a', undefined],
    ['no way of no requirements', 'a', 'a', undefined],
  ])('finds %s', (_, from, to, way) => {
    const graph = graphOf(['a b', 'a c', 'b x', 'x d', 'c d', 'x b'])
    const found = shortestWay(graph, from, to, () => true)
    expect(found?.map((one) => `${one.from} ${one.to}`)).toEqual(way)
  })

  it('takes a circle of 20,000 tools without running out of stack', () => {
    const edges = Array.from({ length: 20_000 }, (_, at) => `${at} ${(at + 1) % 20_000}`)
    const graph = graphOf(edges)
    expect(graph.all.every(graph.isKnotted)).toBe(true)
    expect(shortestWay(graph, '0', '0', graph.isKnotted)).toHaveLength(20_000)
  })
})

describe('dead ends', () => {
  it.each<[string, string, string[] | undefined]>([
    ['a requirement that is one', 'x', ['x gone']],
    ['the nearer of two', 'y', ['y x', 'x gone']],
    ['a circle behind a tool', 'z', ['z a', 'a b', 'b a']],
    ['a circle at the tool', 'b', ['b a', 'a b']],
    ['none where all can be called', 'free', undefined],
    ['none for a tool that nothing is known of', 'other', undefined],
  ])('are found: %s', (_, tool, way) => {
    const graph = graphOf(['x gone', 'y z', 'y x', 'z a', 'a b', 'b a', 'free read'])
    const deadEnds = createDeadEnds(graph, ({ to }) => to === 'gone')
    const found = deadEnds.wayFrom(tool)
    expect(found?.map(({ from, to }) => `${from} ${to}`)).toEqual(way)
    expect(deadEnds.leadTo(tool)).toBe(way !== undefined)
  })
})

function graphOf(edges: string[]) {
  const skills = edges.map((edge) => {
    const [from = '', to = ''] = edge.split(' ')
    return defineSkill({ label: edge, actionTool: from, precondition: [to] })
  })
  return requirementGraph(subjectsOf(skills, createConditions(createPathKeys())))
}
