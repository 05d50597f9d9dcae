import type { ProposedCall, TurnView } from '@symfonic/kernel'
import { z } from 'zod'
import { type AnsweredCall, answeredCalls } from './answered-calls.ts'

/**
 * What the API rules read. As in `AirlineState`, every path has a value at all times, and in doubt the
 * one under which the rule stands.
 */
export interface ApiState {
  readonly vehicle: {
    readonly brake_pressed: boolean
    /** All doors that are known, and at least one is. */
    readonly doors_locked: boolean
    readonly engine_running: boolean
  }
  readonly message: { readonly logged_in: boolean }
  readonly ticket: { readonly logged_in: boolean }
  readonly twitter: { readonly logged_in: boolean }
  /** What the call says; null when it does not. */
  readonly call: { readonly ignition_mode: string | null; readonly activate: boolean | null }
}

/**
 * Reduces a start state and a conversation to the state that the API rules read.
 *
 * @param startState - `initialState` of a task: for each API, its fields. What is not there is doubt.
 * @param messages - The transcript so far; calls that failed change nothing.
 * @param call - The call being judged.
 */
export function apiState(
  startState: unknown,
  messages: TurnView['messages'],
  call: ProposedCall | undefined,
): ApiState {
  const answered = answeredCalls(messages)
  const {
    VehicleControlAPI: car,
    MessageAPI,
    TicketAPI,
    TwitterAPI,
  } = startSchema.parse(startState)
  const has = (tool: string) => answered.some(({ toolName }) => toolName === tool)
  const lastInput = (...tools: string[]) =>
    answered.findLast(({ toolName }) => tools.includes(toolName))
  const doors = doorsAfter(new Map(Object.entries(car.doorStatus)), answered)
  const ignition = lastInput('startEngine')
  const pedal = lastInput('pressBrakePedal', 'releaseBrakePedal')
  const { ignitionMode, activate } = argsSchema.parse(call?.input)
  return {
    vehicle: {
      brake_pressed: (argsSchema.parse(pedal?.input).pedalPosition ?? 0) > 0,
      doors_locked: doors.size > 0 && [...doors.values()].every((status) => status === 'locked'),
      engine_running: ignition
        ? argsSchema.parse(ignition.input).ignitionMode === 'START'
        : car.engineState === 'running',
    },
    message: { logged_in: MessageAPI.current_user !== null || has('message_login') },
    ticket: { logged_in: TicketAPI.current_user !== null || has('ticket_login') },
    twitter: { logged_in: TwitterAPI.authenticated === true || has('authenticate_twitter') },
    call: { ignition_mode: ignitionMode, activate },
  }
}

const text = z.string().nullable().catch(null)
const flag = z.boolean().nullable().catch(null)

const carSchema = z.object({
  engineState: text,
  doorStatus: z.record(z.string(), z.string()).catch({}),
})
const userSchema = z.object({ current_user: text })
const accountSchema = z.object({ authenticated: flag })

const nothing = {
  VehicleControlAPI: { engineState: null, doorStatus: {} },
  MessageAPI: { current_user: null },
  TicketAPI: { current_user: null },
  TwitterAPI: { authenticated: null },
}
const startSchema = z
  .object({
    VehicleControlAPI: carSchema.catch(nothing.VehicleControlAPI),
    MessageAPI: userSchema.catch(nothing.MessageAPI),
    TicketAPI: userSchema.catch(nothing.TicketAPI),
    TwitterAPI: accountSchema.catch(nothing.TwitterAPI),
  })
  .catch(nothing)

const argsSchema = z
  .object({
    ignitionMode: text,
    activate: flag,
    pedalPosition: z.number().nullable().catch(null),
    unlock: flag,
    door: z.array(z.string()).catch([]),
  })
  .catch({ ignitionMode: null, activate: null, pedalPosition: null, unlock: null, door: [] })

function doorsAfter(doors: Map<string, string>, answered: readonly AnsweredCall[]) {
  for (const { toolName, input } of answered) {
    if (toolName !== 'lockDoors') continue
    const { unlock, door } = argsSchema.parse(input)
    for (const name of door) doors.set(name, unlock === false ? 'locked' : 'unlocked')
  }
  return doors
}
