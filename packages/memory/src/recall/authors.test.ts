import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { rankAuthors } from './authors.ts'

const by = (key: string, author?: string, subject?: string) => ({
  key,
  entry: {
    ...sample(key, {
      provenance: { source: 'turn', ...(author !== undefined && { author }) },
      ...(subject !== undefined && { subject }),
    }),
    version: 1,
  },
})
const candidates = [
  by('said by ann', 'Ann'),
  by('said by ben', 'Ben'),
  by('about ann', undefined, 'Ann Okoro'),
  by('by nobody'),
  by('said by drew', 'Drew'),
  by('said by hung', 'Hung'),
  by('said by will', 'Will'),
  by('said by don', 'Don'),
  by('said by josé', 'José'),
  by('said by 田中', '田中'),
  by('said by 민수', '민수'),
  by('said by آن', 'سارة'),
  by('said by علي', 'علي'),
  by('said by 李', '李'),
  by('said by 김', '김'),
  by('said by 김민수', '김민수'),
]
const scoresOf = (text: string) =>
  Object.fromEntries(rankAuthors(candidates, { text }).ranked.map(({ key, score }) => [key, score]))

describe('rankAuthors', () => {
  it.each([
    ["What is Ann's job?", { 'said by ann': 1, 'about ann': 0.5 }],
    ['What does ANN OKORO do?', { 'said by ann': 1, 'about ann': 1 }],
    ['Did Ann meet Ben?', { 'said by ann': 1, 'said by ben': 1, 'about ann': 0.5 }],
    ['What about Annabel?', {}],
    ['What does he like to draw?', {}],
    ['Where do they hang the picture?', {}],
    ['What did DREW draw?', { 'said by drew': 1 }],
    ['Will you go? I don’t know.', {}],
    ['Jose’s bicycle', { 'said by josé': 1 }],
    ['田中さんはどこ', { 'said by 田中': 1 }],
    ['민수가 뭐라고', { 'said by 민수': 1 }],
    ['هل رأيت لسارة', { 'said by آن': 1 }],
    ['ما هي خطة التعليم', {}],
    ['سارة وعلي', { 'said by آن': 1, 'said by علي': 1 }],
    ['我的行李在哪里', {}],
    ['김치 먹었어', {}],
    ['김민수가 뭐라고', { 'said by 김민수': 1 }],
    ['', {}],
  ])('ranks who is named in "%s"', (text, expected) => {
    expect(scoresOf(text)).toEqual(expected)
  })
})
