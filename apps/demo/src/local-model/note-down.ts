import type { Details } from './details.ts'
import type { Mind } from './mind.ts'
import { topicIn } from './topics.ts'

/** Something worth remembering, in the shape that the prompt asks for. */
export interface Note {
  readonly kind: 'preference' | 'fact'
  readonly content: string
  readonly subject: string
  readonly label?: string
}

const statement =
  /^(?:by the way,? )?i (?:(really|always|usually|never|only) )?(\w{1,20})\b(.{1,200}?)[\s.!]*(?:,? please)?[\s.!]*$/i

/**
 * Notes down what people say of themselves, where the prompt asks for notes and says who speaks. What
 * they ask to have remembered is for a tool, and so is everything where no notes are asked for.
 */
export function noteDown(
  { clause, note = '' }: Pick<Details, 'clause' | 'note'>,
  { noteTag, speaker }: Pick<Mind, 'noteTag' | 'speaker'>,
): { readonly say: string; readonly note: Note } | undefined {
  const [, adverb = '', verb = '', rest = ''] = clause.match(statement) ?? []
  if (noteTag === undefined || speaker === undefined || verb === '') return undefined
  const said = rest.replace(/\bmy\b/gi, 'their').trim()
  const words = [speaker, adverb.toLowerCase(), thirdPerson(verb.toLowerCase()), said]
  const label = topicIn(clause.toLowerCase())
  return {
    say: `I will keep that in mind: **${note}**.`,
    note: {
      kind: /^(?:am|travel|live|work)$/i.test(verb) ? 'fact' : 'preference',
      content: `${words.filter((word) => word !== '').join(' ')}.`,
      subject: speaker,
      ...(label !== undefined && { label }),
    },
  }
}

/** A block of notes to stand behind an answer; empty where there are none. */
export function writeNotes(notes: readonly Note[], { noteTag }: Pick<Mind, 'noteTag'>): string {
  if (notes.length === 0 || noteTag === undefined) return ''
  const lines = notes.map((note) => JSON.stringify(note).replaceAll('<', '\\u003c'))
  return ['', `<${noteTag}>`, ...lines, `</${noteTag}>`].join('\n')
}

function thirdPerson(verb: string): string {
  return verb === 'am' ? 'is' : `${verb}s`
}
