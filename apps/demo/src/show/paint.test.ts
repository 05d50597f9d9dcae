import { expect, it } from 'vitest'
import { createPaint } from './paint.ts'

const terminal = { isTTY: true }
const pipe = {}

it.each([
  { where: 'a terminal', stream: terminal, env: { TERM: 'xterm' }, colours: true },
  { where: 'a pipe', stream: pipe, env: { TERM: 'xterm' }, colours: false },
  { where: 'a CI log', stream: pipe, env: { CI: 'true' }, colours: false },
  { where: 'a dumb terminal', stream: terminal, env: { TERM: 'dumb' }, colours: false },
  { where: 'a terminal with NO_COLOR', stream: terminal, env: { NO_COLOR: '1' }, colours: false },
  {
    where: 'a terminal with an empty NO_COLOR',
    stream: terminal,
    env: { NO_COLOR: '' },
    colours: true,
  },
  { where: 'a pipe with FORCE_COLOR', stream: pipe, env: { FORCE_COLOR: '1' }, colours: true },
  {
    where: 'a terminal with FORCE_COLOR=0',
    stream: terminal,
    env: { FORCE_COLOR: '0' },
    colours: false,
  },
])('colours on $where: $colours', ({ stream, env, colours }) => {
  const paint = createPaint(stream, env)
  expect(paint.isColorSupported).toBe(colours)
  expect(paint.red('x') === 'x').toBe(!colours)
})
