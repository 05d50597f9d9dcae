// The public surface of @symfonic/kernel/testing: models that need no network.

export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedStep,
  scriptedModel,
} from './scripted-model.ts'
export { expectStablePrefix } from './expect-stable-prefix.ts'
