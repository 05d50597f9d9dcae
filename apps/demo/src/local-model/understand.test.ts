import { describe, expect, it } from 'vitest'
import { understand } from './understand.ts'

const today = '2026-11-30'

/** The goals of a message: deeds by name, the rest by kind. */
function goalsOf(said: string): string[] {
  return understand(said, today).map((goal) => (goal.kind === 'deed' ? goal.deed : goal.kind))
}

describe('understanding a message', () => {
  it.each([
    ['Cancel K4T9QX', ['cancel']],
    ['I want K4T9QX cancelled.', ['cancel']],
    ['Could you please call off my trip to Rome?', ['cancel']],
    ['Was K4T9QX cancelled?', ['show']],
    ['Can I cancel K4T9QX?', ['show']],
    ['How do I cancel?', ['help']],
    ['Do not cancel K4T9QX', ['refrain']],
    ['Never change B7M2LD', ['refrain']],
    ['Move K4T9QX to TP838', ['change-flight']],
    ['Add two bags to K4T9QX', ['add-bags']],
    ['How many bags does K4T9QX have?', ['show']],
    ['K4T9QX', ['show']],
    ['Which reservations do I have?', ['list']],
    ['Who is Omar?', ['look-up']],
    ['Find Omar', ['look-up']],
    ['Remember that I never cancel hotels', ['remember']],
    ['I prefer an aisle seat', ['remember']],
    ['By the way, I am vegan', ['remember']],
    ['I travel with a cello', ['remember']],
    ['I am here to cancel K4T9QX', ['cancel']],
    ['Do you remember what I like?', ['recall']],
    ['What seat do I like?', ['recall']],
    ['Hello', ['greet']],
    ['Hello! Cancel K4T9QX, please. Thanks!', ['cancel']],
    ['Thanks', ['thank']],
    ['What can you do?', ['help']],
    ['Sing a song', ['unknown']],
    ['', ['unknown']],
    ['Show K4T9QX, then cancel it and remember that I like trains', ['show', 'cancel', 'remember']],
    ['Cancel K4T9QX and B7M2LD', ['cancel', 'cancel']],
  ])('%s', (said, goals) => {
    expect(goalsOf(said)).toEqual(goals)
  })

  it('follows no more than five wishes', () => {
    const codes = ['A1AAAA', 'B1BBBB', 'C1CCCC', 'D1DDDD', 'E1EEEE', 'F1FFFF', 'G1GGGG']
    expect(understand(`Cancel ${codes.join(' ')}`, today)).toHaveLength(5)
  })

  // What looked at each of them again for each would take hours.
  it.each([
    { what: 'blanks', text: ' '.repeat(1_000_000) },
    { what: 'letters', text: 'a'.repeat(1_000_000) },
    { what: 'openings', text: 'and cancel '.repeat(100_000) },
    { what: 'quotes', text: "x's ".repeat(250_000) },
    { what: 'line breaks', text: '\n'.repeat(1_000_000) },
  ])('comes to an end in a flood of $what', ({ text }) => {
    expect(understand(text, today).length).toBeGreaterThan(0)
  })
})
