import { dynamicTool, jsonSchema, type ModelMessage, type ToolSet } from 'ai'
import { type PreflightOptions, type PreflightSkills, preflight } from '../ai-sdk.ts'
import { defineSkill } from '../define-skill.ts'

/** A rule on `cancel`, which wants `read`. */
export const readFirst = defineSkill({
  label: 'Read first',
  actionTool: 'cancel',
  precondition: 'read',
})
/** What the user says before the calls. */
export const user: ModelMessage = { role: 'user', content: 'cancel A1' }
/** How the refusal of `cancel` begins. */
export const refused = 'The call to `cancel` was refused'

/** What a tool of a test does. */
export type Execute = (input: unknown, options: unknown) => unknown

/** Wraps tools and runs them as the SDK does: all calls of a step are announced, then run. */
export function wrapped(
  executes: Record<string, Execute>,
  options: PreflightOptions = {},
  skills: PreflightSkills = [readFirst],
) {
  const { wrapTools } = preflight(skills, options)
  const tools: ToolSet = wrapTools(
    Object.fromEntries(
      Object.entries(executes).map(([name, execute]) => [
        name,
        dynamicTool({ inputSchema: anyInput, execute }),
      ]),
    ),
  )
  let calls = 0
  const call = (name: string, messages: unknown = [user], more: object = {}) => {
    calls += 1
    return tools[name]?.execute?.({}, { toolCallId: `c${calls}`, messages, ...more } as never)
  }
  /** Announces calls of one step; each that comes back runs its call. */
  const step = <const Names extends readonly string[]>(...names: Names) => {
    const messages = [user]
    const made = names.map((name) => {
      calls += 1
      const about = { toolCallId: `c${calls}`, messages }
      tools[name]?.onInputAvailable?.({ ...about, input: {} } as never)
      return (more: object = {}) => tools[name]?.execute?.({}, { ...about, ...more } as never)
    })
    return made as { [Index in keyof Names]: (more?: object) => unknown }
  }
  return { tools, call, step }
}

const anyInput = jsonSchema({ type: 'object' })

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'done'))
}
