import { KernelError } from '../errors.ts'
import type { Kernel } from '../kernel.ts'
import { comparePrompts, type PromptChange } from '../prompt/compare-prompts.ts'
import type { RenderFailure } from '../prompt/prompt-report.ts'
import type { TurnInput } from '../turn-input.ts'

/**
 * Asserts that the cached prefix (tools, L0, L1) is the same, byte for byte, for all of the inputs:
 * other users, later days, longer histories. No model is called. What failed to render proves nothing,
 * so a prefix in which something is missing fails, too.
 *
 * @param inputs - At least two. Vary what must not matter: `state`, `scope`, `history`. One given as a
 *   function is made right before it is looked at, so that it can move your test's clock first.
 * @throws KernelError `KERNEL_PREFIX_UNSTABLE`; the message names the section, its author and the
 *   byte, `details.changes` everything that differs, `details.input` the index of the first input
 *   whose prefix is not that of the first. Where something is missing the message names it, and
 *   `details.failed` lists all that is. `KERNEL_INPUT_INVALID` for fewer than two inputs.
 */
export async function expectStablePrefix(
  kernel: Pick<Kernel, 'previewPrompt'>,
  inputs: readonly (TurnInput | (() => TurnInput))[],
): Promise<void> {
  const [first, ...others] = inputs
  if (first === undefined || others.length === 0) {
    throw new KernelError(
      'KERNEL_INPUT_INVALID',
      'expectStablePrefix was given fewer than two inputs and has nothing to compare. Give two that differ.',
      { details: { field: 'inputs' } },
    )
  }
  const preview = async (input: TurnInput | (() => TurnInput), index: number) => {
    const report = await kernel.previewPrompt(typeof input === 'function' ? input() : input)
    const failed = report.failed.filter(
      ({ layer }) => layer !== 'L2' || report.layerMode === 'legacy',
    )
    if (failed[0] !== undefined) throw incomplete(index, failed[0], failed)
    return report
  }
  const expected = await preview(first, 0)
  for (const [index, input] of others.entries()) {
    const { stable, changes } = comparePrompts(expected, await preview(input, index + 1))
    if (!stable) throw unstable(index + 1, changes)
  }
}

function incomplete(
  input: number,
  { layer, section, capability, origin, reason }: RenderFailure,
  failed: readonly RenderFailure[],
): KernelError {
  const what = origin === undefined ? '' : `what "${origin}" writes of `
  return new KernelError(
    'KERNEL_PREFIX_UNSTABLE',
    `The cached prefix of input ${input} was not rendered whole: ${layer} lacks ${what}section "${section}" of "${capability}": ${reason.replace(/\.$/, '')}. Mend what renders it, or give the input what it needs.`,
    { details: { input, failed } },
  )
}

function unstable(input: number, changes: readonly PromptChange[]): KernelError {
  const [change] = changes
  const kind = change?.layer === 'tools' ? 'the definition of' : 'section'
  const where =
    change === undefined
      ? 'the layer mode'
      : `byte ${change.byte} of ${change.layer}, ${kind} "${change.section}" of "${change.capability}"${change.origin === undefined ? '' : `, written by "${change.origin}"`}: ${JSON.stringify(change.before)} became ${JSON.stringify(change.after)}`
  return new KernelError(
    'KERNEL_PREFIX_UNSTABLE',
    `The cached prefix of input ${input} differs from that of input 0 at ${where}. Move what changes to L2, or make it the same.`,
    { details: { input, changes } },
  )
}
