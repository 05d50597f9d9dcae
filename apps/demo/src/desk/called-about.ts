import type { ProposedCall, TurnView } from '@symfonic/kernel'

/**
 * The tools that count as called for one proposed call: those that succeeded since the last user
 * message, but where both name a reservation, only for that one. To have read one trip does not
 * allow cancelling another.
 *
 * @param call - The call being judged; undefined while no particular call is meant.
 */
export function calledAbout(view: TurnView, call: ProposedCall | undefined): ReadonlySet<string> {
  const reservation = reservationIn(call?.input)
  if (reservation === undefined) return view.called

  const about = new Set<string>()
  const inputs = new Map<string, unknown>()
  for (const { role, content } of sinceLastUser(view)) {
    if (typeof content === 'string') continue
    for (const part of content) {
      if (role === 'assistant' && part.type === 'tool-call') inputs.set(part.toolCallId, part.input)
      if (role !== 'tool' || part.type !== 'tool-result') continue
      const other = reservationIn(inputs.get(part.toolCallId))
      // Whether it succeeded is the kernel's to say; here it is only asked what it was about.
      const succeeded = view.called.has(part.toolName) && !isError(part.output)
      if (succeeded && (other === undefined || other === reservation)) about.add(part.toolName)
    }
  }
  return about
}

function sinceLastUser({ messages }: TurnView) {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
}

function isError({ type }: { readonly type: string }): boolean {
  return type.startsWith('error') || type === 'execution-denied'
}

function reservationIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  if (!Object.hasOwn(input, 'reservation_id')) return undefined
  const id = (input as { reservation_id: unknown }).reservation_id
  return typeof id === 'string' ? id.toUpperCase() : undefined
}
