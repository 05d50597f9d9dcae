import { describe, expect, it } from 'vitest'
import { createDesk } from './desk.ts'
import { seedDesk } from './seed.ts'
import { toSlackMarkup } from './slack-markup.ts'

const open = () => createDesk(seedDesk('2026-11-30'))

describe('the desk', () => {
  it('finds a traveller by any part of the name', () => {
    const names = ['mia', 'LINDQVIST', ' Mia Lindqvist '].map(
      (name) => open().findTraveller(name).name,
    )
    expect(names).toEqual(['Mia Lindqvist', 'Mia Lindqvist', 'Mia Lindqvist'])
  })

  it('pays flexible fares back and basic ones not', () => {
    const desk = open()
    expect(desk.cancel('K4T9QX').refundEur).toBe(214)
    expect(desk.cancel('b7m2ld').refundEur).toBe(0)
    expect(desk.readReservation('K4T9QX').status).toBe('cancelled')
  })

  it('has trips that lie ahead of any day, across the end of a year', () => {
    const dates = seedDesk('2027-12-28').reservations.map(({ date }) => date)
    expect(dates).toEqual([
      ...['2028-01-09', '2028-01-12', '2028-01-03', '2028-01-06', '2028-01-17', '2028-01-21'],
    ])
  })

  it('finds hundreds of flights for a route, each once, the same ones every time', () => {
    const offers = open().searchFlights(' paris', 'TOKYO')
    expect(offers).toEqual(open().searchFlights('Paris', 'Tokyo'))
    expect(offers).toHaveLength(240)
    expect(new Set(offers.map(({ flight }) => flight)).size).toBe(240)
    expect(offers.find(({ flight }) => flight === 'NH216')).toMatchObject({
      connection: 'nonstop',
      priceEur: 940,
    })
    const departures = offers.map(({ departs }) => departs)
    expect(departures).toEqual([...departures].sort())
  })

  it('keeps its changes to itself', () => {
    open().cancel('K4T9QX')
    expect(open().readReservation('K4T9QX').status).toBe('confirmed')
  })

  it.each([
    ['an unknown traveller', () => open().findTraveller('Bob'), /No traveller is called Bob\. Ask/],
    ['an empty name', () => open().findTraveller(' '), /No traveller/],
    ['an unknown traveller id', () => open().listReservations('T-9'), /Find the traveller by name/],
    [
      'a route nobody flies',
      () => open().searchFlights('Bonn', 'Rome'),
      /Offer one of: Lisbon-Rome/,
    ],
    ['an unknown reservation', () => open().readReservation('__proto__'), /Check the code/],
    ['a second cancellation', () => open().cancel('H6P5VE'), /is cancelled already/],
    ['bags on a cancelled trip', () => open().addBags('H6P5VE', 1), /is cancelled already/],
    ['too many bags', () => open().addBags('K4T9QX', 3), /Offer 2 more/],
    ['a flight of another route', () => open().changeFlight('K4T9QX', 'OS411'), /TP836, TP838/],
  ])('refuses %s and says what to do', (_, act, message) => {
    expect(act).toThrow(message)
  })
})

describe('Slack markup', () => {
  it.each([
    ['**bold** and **more**', '*bold* and *more*'],
    ['[page](https://desk.example/r?a=1&b=2)', '<https://desk.example/r?a=1&amp;b=2|page>'],
    ['<!channel> & <@U1>', '&lt;!channel&gt; &amp; &lt;@U1&gt;'],
    ['[x](javascript:alert)', '[x](javascript:alert)'],
    ['[a|b](https://x.example)', '[a|b](https://x.example)'],
    ['2 ** 3 ** 4\n**', '2 * 3 * 4\n**'],
  ])('%j becomes %j', (markdown, markup) => {
    expect(toSlackMarkup(markdown)).toBe(markup)
  })
})
