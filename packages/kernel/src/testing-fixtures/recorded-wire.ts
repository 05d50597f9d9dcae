import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { CacheTtl } from '../capability.ts'
import type { Kernel } from '../kernel.ts'
import type { TurnInput } from '../turn-input.ts'
import type { TurnResult } from '../turn-state.ts'

// Real providers whose fetch is played: what they were made to send, and how to read it.

/** A request body, parsed. */
export type Body = Record<string, unknown>

/** What was sent, a request at a time: parsed, and byte for byte. */
export interface Recording {
  readonly bodies: Body[]
  readonly raw: string[]
}

/** An answer of Anthropic's, without its frame. */
export interface AnthropicAnswer {
  readonly content: readonly Body[]
  readonly stop_reason: string
}

/** An answer that says `text` and ends the turn. */
export function says(text: string): AnthropicAnswer {
  return { content: [{ type: 'text', text }], stop_reason: 'end_turn' }
}

/** An answer that calls tools; each call gets an id of its own. */
export function calls(...named: readonly (readonly [name: string, input?: Body])[]) {
  const content = named.map(([name, input = {}], index) => {
    made += 1
    return { type: 'tool_use', id: `toolu_${made}_${index}`, name, input }
  })
  return { content, stop_reason: 'tool_use' } satisfies AnthropicAnswer
}

let made = 0

/** An answer with a signed thought in front. */
export function thinks({ content, stop_reason }: AnthropicAnswer): AnthropicAnswer {
  const thought = { type: 'thinking', thinking: 'Let me see.', signature: 'c2lnbmVk' }
  return { content: [thought, ...content], stop_reason }
}

/** Anthropic's own provider, playing `script`; beyond its end the answer is `ok`. */
export function recordedAnthropic(
  script: readonly AnthropicAnswer[] = [],
  modelId = 'claude-sonnet-4-5',
) {
  const recording: Recording = { bodies: [], raw: [] }
  const frame = (answer: AnthropicAnswer): Body => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: modelId,
    stop_sequence: null,
    usage: {
      input_tokens: 11,
      output_tokens: 3,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 100,
    },
    ...answer,
  })
  const fetch = playing(recording, (index) => frame(script[index] ?? says('ok')))
  const anthropic = createAnthropic({ apiKey: 'test', baseURL: baseUrl, fetch })
  return { ...recording, model: anthropic(modelId) }
}

/** An OpenAI-compatible provider, playing messages of an assistant. */
export function recordedOpenAICompatible(script: readonly Body[]) {
  const recording: Recording = { bodies: [], raw: [] }
  const fetch = playing(recording, (index) => completion(script[index] ?? {}))
  const provider = createOpenAICompatible({ name: 'local', baseURL: baseUrl, fetch })
  return { ...recording, model: provider('small') }
}

/** A turn to its end, blocking or streaming. */
export async function playTurn(
  kernel: Kernel,
  input: TurnInput,
  mode: 'run' | 'stream' = 'run',
): Promise<TurnResult> {
  if (mode === 'run') return kernel.run(input)
  const events = kernel.stream(input)
  let next = await events.next()
  while (!next.done) next = await events.next()
  return next.value
}

/** Something a cached prefix may end behind: a tool, a system block or a block of a message. */
export interface WireBlock {
  readonly region: 'tools' | 'system' | 'messages'
  /** What it says, without the marker, which is no part of what a provider hashes. */
  readonly json: string
  readonly ttl: CacheTtl | undefined
}

/** The blocks of a body in the order in which the provider caches them. */
export function blocksOf(body: Body): readonly WireBlock[] {
  const read = (region: WireBlock['region'], role?: unknown) => (block: Body) => {
    const { cache_control: marker, ...bare } = block
    const json = JSON.stringify(role === undefined ? bare : { role, ...bare })
    return { region, json, ttl: marker === undefined ? undefined : ttlOf(marker as Body) }
  }
  const messages = listIn(body, 'messages').flatMap(({ role, content }) =>
    (content as Body[]).map(read('messages', role)),
  )
  return [
    ...listIn(body, 'tools').map(read('tools')),
    ...listIn(body, 'system').map(read('system')),
    ...messages,
  ]
}

/** Every `cache_control` there is, however deep. */
export function countMarkers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner = Object.values(value).reduce((sum: number, one) => sum + countMarkers(one), 0)
  return inner + ('cache_control' in value ? 1 : 0)
}

/** Region and lifetime of each marker, in the order of the prefix: `system 1h`. */
export function markersOf(body: Body): string[] {
  return blocksOf(body).flatMap(({ region, ttl }) => (ttl === undefined ? [] : `${region} ${ttl}`))
}

/** The tools and the system blocks up to the last marked one, as they were sent, as one text. */
export function cachedPrefixOf(body: Body): string {
  const system = listIn(body, 'system')
  const last = system.findLastIndex((block) => block['cache_control'] !== undefined)
  return JSON.stringify([body['tools'], system.slice(0, last + 1)])
}

const baseUrl = 'https://model.example.test/v1'

function ttlOf({ ttl }: Body): CacheTtl {
  return ttl === '1h' ? '1h' : '5m'
}

function listIn(body: Body, name: string): readonly Body[] {
  return (body[name] ?? []) as readonly Body[]
}

/** A fetch that notes what was sent and plays answers, as events when they are asked for. */
function playing({ bodies, raw }: Recording, answerAt: (index: number) => Body): typeof fetch {
  return async (_url, init) => {
    const text = String(init?.body)
    const answer = answerAt(bodies.length)
    const body = JSON.parse(text) as Body
    bodies.push(body)
    raw.push(text)
    return body['stream'] ? eventsOf(answer) : Response.json(answer)
  }
}

/** An Anthropic message as its events. */
function eventsOf({ content, stop_reason, ...about }: Body): Response {
  const events = [
    { type: 'message_start', message: { ...about, content: [], stop_reason: null } },
    ...(content as Body[]).flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage: about['usage'] },
    { type: 'message_stop' },
  ]
  const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } })
}

function emptied(block: Body): Body {
  if (block['type'] === 'tool_use') return { ...block, input: {} }
  if (block['type'] === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { ...block, text: '' }
}

function deltasOf({ type, text, input, thinking, signature }: Body): readonly Body[] {
  if (type === 'tool_use')
    return [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }]
  if (type !== 'thinking') return [{ type: 'text_delta', text }]
  return [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ]
}

function completion(message: Body): Body {
  const finish_reason = message['tool_calls'] ? 'tool_calls' : 'stop'
  return {
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'small',
    choices: [{ index: 0, message, finish_reason }],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4 },
    },
  }
}
