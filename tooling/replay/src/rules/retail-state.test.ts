import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { madeCall } from './made-call.ts'
import { retailState } from './retail-state.ts'

const order = (status: unknown = 'pending', order_id = '#W1') => ({ order_id, status })
const read = (status?: unknown) => madeCall('get_order_details', { order_id: '#W1' }, order(status))
const stateOf = (messages: ModelMessage[], input: unknown = { order_id: '#W1' }) =>
  retailState(messages, { toolCallId: 'c', toolName: 'write', input })

const nothingKnown = {
  auth: { user_found: false },
  profile: { read: false },
  confirmation: { explicit: false },
  order: { read: false, status: null, items_changed: false },
  call: { reason: null },
}

describe('the state of a retail conversation', () => {
  it('is whole and in doubt before anything has happened', () => {
    expect(retailState([], undefined)).toEqual(nothingKnown)
  })

  it('knows who was found, what was read and what was said', () => {
    const messages: ModelMessage[] = [
      ...madeCall('find_user_id_by_email', { email: 'a@b.c' }, 'a_b_1'),
      ...madeCall('get_user_details', { user_id: 'a_b_1' }, {}),
      ...read(),
      { role: 'user', content: 'yes' },
    ]
    expect(stateOf(messages, { order_id: '#W1', reason: 'too late' })).toEqual({
      auth: { user_found: true },
      profile: { read: true },
      confirmation: { explicit: true },
      order: { read: true, status: 'pending', items_changed: false },
      call: { reason: 'too late' },
    })
  })

  it.each<{ what: string; messages: ModelMessage[]; input?: unknown }>([
    {
      what: 'nobody was found',
      messages: madeCall('find_user_id_by_email', {}, 'Error: no', true),
    },
    {
      what: 'another order was read',
      messages: madeCall('get_order_details', {}, order('pending', '#W2')),
    },
    { what: 'the call names none', messages: read(), input: { id: '#W1' } },
    { what: 'the call is a list', messages: read(), input: ['#W1'] },
    { what: 'reading failed', messages: madeCall('get_order_details', {}, order(), true) },
    { what: 'another tool says so', messages: madeCall('think', {}, order()) },
    { what: 'the status is no text', messages: read(['pending']) },
    { what: 'the reason is no text', messages: [], input: { reason: ['no longer needed'] } },
  ])('knows nothing when $what', ({ messages, input }) => {
    expect(input === undefined ? stateOf(messages) : stateOf(messages, input)).toEqual(nothingKnown)
  })

  it('takes either way to find the user', () => {
    const messages = madeCall('find_user_id_by_name_zip', {}, 'a_b_1')
    expect(stateOf(messages).auth.user_found).toBe(true)
  })

  it('goes by the status that was shown last, by whatever showed it', () => {
    const messages = [...read(), ...madeCall('cancel_pending_order', {}, order('cancelled'))]
    expect(stateOf(messages).order.status).toBe('cancelled')
  })

  it.each([
    { tool: 'modify_pending_order_items', failed: false, is: true },
    { tool: 'exchange_delivered_order_items', failed: false, is: true },
    { tool: 'modify_pending_order_items', failed: true, is: false },
    { tool: 'modify_pending_order_address', failed: false, is: false },
    { tool: 'return_delivered_order_items', failed: false, is: false },
  ])('$tool (failed: $failed) has changed the items: $is', ({ tool, failed, is }) => {
    const messages = madeCall(tool, { order_id: '#W1' }, order(), failed)
    expect(stateOf(messages).order.items_changed).toBe(is)
    expect(stateOf(messages, { order_id: '#W2' }).order.items_changed).toBe(false)
  })

  it('counts items as changed by what was asked, where the result shows no order', () => {
    const messages = madeCall('modify_pending_order_items', { order_id: '#W1' }, 'ok')
    expect(stateOf(messages).order).toEqual({ read: false, status: null, items_changed: true })
  })
})
