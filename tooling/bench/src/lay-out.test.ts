import { expect, it } from 'vitest'
import { layOut } from './lay-out.ts'

it('sets figures to the right and words to the left', () => {
  expect(
    layOut([
      ['who', 'cost', 'fact'],
      ['ours', '0.04', 'kept'],
      ['theirs, all', '10.5', 'lost'],
      ['none', '', ''],
    ]),
  ).toEqual([
    'who          cost  fact',
    'ours         0.04  kept',
    'theirs, all  10.5  lost',
    'none',
  ])
})

it('gives nothing for nothing', () => {
  expect(layOut([])).toEqual([])
})
