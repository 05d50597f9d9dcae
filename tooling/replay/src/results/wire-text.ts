import type { ModelMessage } from 'ai'

/**
 * The text of a message as a model is charged for it: what was said, the name and arguments of each call, and
 * what each result shows. Files and other parts without a text weigh nothing.
 */
export function wireText({ content }: ModelMessage): string {
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      switch (part.type) {
        case 'text':
        case 'reasoning':
          return part.text
        case 'tool-call':
          return part.toolName + JSON.stringify(part.input)
        case 'tool-result':
          return resultText(part)
        default:
          return ''
      }
    })
    .join('')
}

/** A tool result among the parts of a message. */
export type ResultPart = Extract<
  Extract<ModelMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>

/** What a result shows. Parts of a list that are no text show nothing. */
export function resultText({ output }: Pick<ResultPart, 'output'>): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value)
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('')
    default:
      return output.reason ?? ''
  }
}
