import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message as the chat completions format writes it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly function: { readonly name: string } }[]
}

/** A request that was received. */
export interface ChatRequest {
  readonly authorization: string | undefined
  readonly path: string | undefined
  readonly body: {
    readonly model: string
    readonly stream?: boolean
    readonly messages: readonly ChatMessage[]
    readonly tools?: readonly { readonly function: { readonly name: string } }[]
  }
}

/** What to answer with: a text, one tool call, or an HTTP error. */
export type ChatReply =
  | { readonly text: string }
  | { readonly call: { readonly name: string; readonly input: object } }
  | { readonly status: number; readonly message: string }

/** A server that runs. */
export interface ChatServer {
  /** Base URL. */
  readonly url: string
  readonly received: readonly ChatRequest[]
}

/**
 * Runs an OpenAI-compatible server on this machine, which streams its answers in small pieces, for
 * as long as it is used.
 *
 * @param reply - Asked for every request.
 */
export async function withChatServer(
  reply: (request: ChatRequest) => ChatReply,
  use: (server: ChatServer) => Promise<void>,
): Promise<void> {
  const received: ChatRequest[] = []
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers
    const body = JSON.parse(await readAll(request))
    const about = { authorization, path: request.url, body }
    received.push(about)
    const answer = reply(about)
    if ('status' in answer) {
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: answer.message, type: 'test' } }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunksOf(answer, received.length)) {
      response.write(`data: ${JSON.stringify({ ...frame, ...chunk })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  try {
    await use({ url: `http://127.0.0.1:${port}/v1`, received })
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const frame = { id: 'chat-1', object: 'chat.completion.chunk', created: 0, model: 'small' }

function chunksOf(answer: Exclude<ChatReply, { status: number }>, count: number): object[] {
  const usage = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107 }
  const delta = (delta: object, reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  const end = { choices: [], usage }
  if ('text' in answer) {
    const words = answer.text.match(/\S+\s*/g) ?? []
    const deltas = words.map((content) => delta({ content }))
    return [delta({ role: 'assistant', content: '' }), ...deltas, delta({}, 'stop'), end]
  }
  const { name, input } = answer.call
  const pieces = JSON.stringify(input).match(/.{1,7}/g) ?? []
  const part = (call: object) => delta({ tool_calls: [{ index: 0, ...call }] })
  return [
    part({ id: `call_${count}`, type: 'function', function: { name, arguments: '' } }),
    ...pieces.map((piece) => part({ function: { arguments: piece } })),
    delta({}, 'tool_calls'),
    end,
  ]
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
