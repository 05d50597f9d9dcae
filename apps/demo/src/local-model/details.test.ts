import { describe, expect, it } from 'vitest'
import { detailsIn, numberFrom, reservationsIn } from './details.ts'

const today = '2026-11-30'

describe('the details of a clause', () => {
  it.each([
    { clause: 'cancel k4t9qx', reservations: ['K4T9QX'] },
    { clause: 'cancel it', reservations: [], pointsBack: true },
    { clause: "Omar's trips", whose: { name: 'Omar' } },
    { clause: "Show Omar Haddad's trips", whose: { name: 'Omar Haddad' } },
    { clause: 'the trips of Wei Chen', whose: { name: 'Wei Chen' } },
    { clause: 'look up the traveller Wei', whose: { name: 'Wei' } },
    { clause: "what's my next trip", whose: 'mine' },
    { clause: 'trips of T-102', travellerId: 'T-102' },
    { clause: 'move it to tp838', flight: 'TP838', pointsBack: true },
    { clause: 'move it to TP 838', flight: 'TP838', pointsBack: true },
    { clause: 'add two more bags', bags: 'two' },
    { clause: 'add another suitcase', bags: '1' },
    { clause: 'add 3 bags', bags: '3' },
    { clause: 'Remember that I really like an aisle seat, please.', note: 'aisle seat' },
    { clause: 'on 9 January', date: '2027-01-09' },
  ])('$clause', ({ clause, ...expected }) => {
    expect(detailsIn(clause, today)).toMatchObject(expected)
  })

  it('takes no number behind a small word for a flight', () => {
    expect(detailsIn('pay to 214', today)).not.toHaveProperty('flight')
  })

  it('takes codes for reservations only when they hold letters and digits', () => {
    expect(reservationsIn('cancel 123456 FLIGHT K4T9QX TP8361 K4T9QXX')).toEqual(['K4T9QX'])
  })

  it.each([
    ['two', 2],
    [' 12 ', 12],
    ['a dozen', undefined],
    ['1e9', undefined],
    ['', undefined],
  ])('reads %j as the number %j', (text, number) => {
    expect(numberFrom(text)).toBe(number)
  })
})
