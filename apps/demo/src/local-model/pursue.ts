import { achieve, type Fill, type Progress } from './achieve.ts'
import { type DeedName, deedNames, deeds, findToolFor } from './deeds.ts'
import type { Details } from './details.ts'
import { fillInput, type Pursuit } from './fill-input.ts'
import { everDone, type Mind } from './mind.ts'
import { noteDown } from './note-down.ts'
import { describeFailure, describeOutcome } from './phrase.ts'
import { readFlight } from './read-flight.ts'
import { recollect } from './read-recalled.ts'
import type { Goal } from './understand.ts'

/** Works out the next move towards a goal from what the mind holds; nothing is kept in between. */
export function pursue(goal: Goal, mind: Mind): Pursuit {
  switch (goal.kind) {
    case 'deed':
      return doDeed(goal.deed, goal.details, mind)
    case 'greet':
      return {
        say: `Hello${mind.speaker ? `, ${mind.speaker.split(' ')[0]}` : ''}! ${offer(mind)}`,
      }
    case 'thank':
      return { say: 'You are welcome. Safe travels!' }
    case 'refrain':
      return { say: 'All right, I leave everything as it is.' }
    case 'help':
      return { say: offer(mind) }
    case 'unknown':
      return { say: `I did not understand that. ${offer(mind)}` }
  }
}

/** What the model can do with the tools it was given. */
function offer({ tools }: Mind): string {
  const able = deedNames.filter((deed) => findToolFor(deed, tools)).map((deed) => deeds[deed].what)
  const last = able.pop()
  if (last === undefined) return 'I was given no tools, so there is nothing I can do here.'
  return `I can ${able.length > 0 ? `${able.join(', ')} and ` : ''}${last}.`
}

function doDeed(deed: DeedName, details: Details, mind: Mind): Pursuit {
  const fromMemory = deed === 'recall' ? recollect(details, mind) : undefined
  if (fromMemory !== undefined) return { say: fromMemory }
  const note = deed === 'remember' ? noteDown(details, mind) : undefined
  if (note !== undefined) return note
  const tool = findToolFor(deed, mind.tools)
  if (tool === undefined) {
    return { say: `I cannot ${deeds[deed].what}: I was given no tool for it. ${offer(mind)}` }
  }
  const filled = fillInput(tool, deed, details, mind)
  if (!('input' in filled)) return filled
  const call = { tool, input: filled.input }
  const fill: Fill = (step) => {
    const input = fillInput(step, deed, details, mind)
    return 'input' in input ? input.input : undefined
  }
  // What was found once is not looked for again.
  const known = deed === 'find-flight' ? everDone(mind, call) : undefined
  const progress: Progress = known
    ? { state: 'done', value: known.value }
    : achieve(call, mind, fill)
  switch (progress.state) {
    case 'calls':
      return progress
    case 'done':
      if (deed === 'find-flight') return readFlight(call, progress.value, details, mind)
      return { say: describeOutcome(deed, call, progress.value) }
    case 'failed':
      return { say: describeFailure(deed, progress.error) }
  }
}
