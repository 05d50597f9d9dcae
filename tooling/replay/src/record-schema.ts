import { z } from 'zod'

const text = z
  .string()
  .nullish()
  .transform((content) => content ?? '')

const calls = z
  .array(
    z.looseObject({
      id: z.string().min(1),
      name: z.string().min(1),
      args: z.unknown(),
      requestor: z.string().optional(),
    }),
  )
  .nullish()
  .transform((list) => list ?? [])

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('user'), content: text, toolCalls: calls }),
  z.looseObject({ role: z.literal('assistant'), content: text, toolCalls: calls }),
  z.looseObject({
    role: z.literal('tool'),
    content: z.string(),
    toolCallId: z.string().min(1),
    toolName: z.string().optional(),
    isError: z.boolean().optional(),
    requestor: z.string().optional(),
  }),
])

/**
 * A run as it is written down. Text and calls that are null or absent become `''` and `[]`; keys the
 * format does not know are let through.
 */
export const runSchema = z.looseObject({
  id: z.string().min(1),
  source: z.string().default('unknown'),
  domain: z.string().default('unknown'),
  reward: z.number().nullish(),
  messages: z.array(message),
})

/** A message as it is written down. */
export type WrittenMessage<
  Role extends 'user' | 'assistant' | 'tool' = 'user' | 'assistant' | 'tool',
> = Extract<z.infer<typeof message>, { role: Role }>
