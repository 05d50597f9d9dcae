import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { apiState } from './api-state.ts'
import { madeCall } from './made-call.ts'

const made = (toolName: string, input: unknown = {}, failed = false) =>
  madeCall(toolName, input, 'done', failed)
const call = (input: unknown) => ({ toolCallId: 'c', toolName: 'act', input })
const parked = {
  VehicleControlAPI: {
    engineState: 'stopped',
    doorStatus: { driver: 'unlocked', passenger: 'locked' },
  },
}
const nothingKnown = {
  vehicle: { brake_pressed: false, doors_locked: false, engine_running: false },
  message: { logged_in: false },
  ticket: { logged_in: false },
  twitter: { logged_in: false },
  call: { ignition_mode: null, activate: null },
}

describe('the state of some APIs', () => {
  it.each([
    { what: 'nothing', start: undefined },
    { what: 'null', start: null },
    { what: 'text', start: 'VehicleControlAPI' },
    { what: 'fields of the wrong kind', start: { VehicleControlAPI: 7, MessageAPI: [] } },
    {
      what: 'values of the wrong kind',
      start: {
        VehicleControlAPI: { engineState: true, doorStatus: ['locked'] },
        MessageAPI: { current_user: 7 },
        TicketAPI: { current_user: null },
        TwitterAPI: { authenticated: 'yes' },
      },
    },
    { what: 'no doors', start: { VehicleControlAPI: { doorStatus: {} } } },
    {
      what: 'inherited fields',
      start: JSON.parse('{"__proto__":{"MessageAPI":{"current_user":"a"}}}'),
    },
  ])('is whole and in doubt when it starts from $what', ({ start }) => {
    expect(apiState(start, [], undefined)).toEqual(nothingKnown)
  })

  it('starts from what is there', () => {
    const start = {
      VehicleControlAPI: { engineState: 'running', doorStatus: { driver: 'locked' } },
      MessageAPI: { current_user: 'a' },
      TicketAPI: { current_user: 'a' },
      TwitterAPI: { authenticated: true },
    }
    expect(apiState(start, [], call({ ignitionMode: 'START', activate: true }))).toEqual({
      vehicle: { brake_pressed: false, doors_locked: true, engine_running: true },
      message: { logged_in: true },
      ticket: { logged_in: true },
      twitter: { logged_in: true },
      call: { ignition_mode: 'START', activate: true },
    })
  })

  it.each<{ what: string; messages: ModelMessage[]; vehicle: object }>([
    {
      what: 'the last door is locked',
      messages: made('lockDoors', { unlock: false, door: ['driver'] }),
      vehicle: { doors_locked: true },
    },
    {
      what: 'a door is unlocked again',
      messages: [
        ...made('lockDoors', { unlock: false, door: ['driver'] }),
        ...made('lockDoors', { unlock: true, door: ['passenger'] }),
      ],
      vehicle: { doors_locked: false },
    },
    {
      what: 'locking fails',
      messages: made('lockDoors', { unlock: false, door: ['driver'] }, true),
      vehicle: { doors_locked: false },
    },
    {
      what: 'the brake is pressed',
      messages: made('pressBrakePedal', { pedalPosition: 0.5 }),
      vehicle: { brake_pressed: true },
    },
    {
      what: 'the brake is not pressed at all',
      messages: made('pressBrakePedal', { pedalPosition: 0 }),
      vehicle: { brake_pressed: false },
    },
    {
      what: 'the brake is let go',
      messages: [...made('pressBrakePedal', { pedalPosition: 1 }), ...made('releaseBrakePedal')],
      vehicle: { brake_pressed: false },
    },
    {
      what: 'the engine is started',
      messages: made('startEngine', { ignitionMode: 'START' }),
      vehicle: { engine_running: true },
    },
    {
      what: 'the engine is stopped again',
      messages: [
        ...made('startEngine', { ignitionMode: 'START' }),
        ...made('startEngine', { ignitionMode: 'STOP' }),
      ],
      vehicle: { engine_running: false },
    },
  ])('follows when $what', ({ messages, vehicle }) => {
    expect(apiState(parked, messages, undefined).vehicle).toMatchObject(vehicle)
  })

  it.each([
    { tool: 'message_login', api: 'message' },
    { tool: 'ticket_login', api: 'ticket' },
    { tool: 'authenticate_twitter', api: 'twitter' },
  ] as const)('is logged in to $api after $tool', ({ tool, api }) => {
    expect(apiState({}, made(tool), undefined)[api].logged_in).toBe(true)
    expect(apiState({}, made(tool, {}, true), undefined)).toEqual(nothingKnown)
  })
})
