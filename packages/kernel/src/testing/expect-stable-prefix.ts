import { KernelError } from '../errors.ts'
import type { Kernel } from '../kernel.ts'
import { comparePrompts, type PromptChange } from '../prompt/compare-prompts.ts'
import type { TurnInput } from '../turn-input.ts'

/**
 * Asserts that the cached prefix (tools, L0, L1) is the same, byte for byte, for all of the inputs:
 * other users, later days, longer histories. No model is called.
 *
 * @param inputs - At least two. Vary what must not matter: `state`, `scope`, `history`. One given as a
 *   function is made right before it is looked at, so that it can move your test's clock first.
 * @throws KernelError `KERNEL_PREFIX_UNSTABLE`; the message names the section, its author and the
 *   byte, `details.changes` everything that differs, `details.input` the index of the first input
 *   whose prefix is not that of the first. `KERNEL_INPUT_INVALID` for fewer than two inputs.
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
  const preview = (input: TurnInput | (() => TurnInput)) =>
    kernel.previewPrompt(typeof input === 'function' ? input() : input)
  const expected = await preview(first)
  for (const [index, input] of others.entries()) {
    const { stable, changes } = comparePrompts(expected, await preview(input))
    if (!stable) throw unstable(index + 1, changes)
  }
}

function unstable(input: number, changes: readonly PromptChange[]): KernelError {
  const [change] = changes
  const where =
    change === undefined
      ? 'the layer mode'
      : `byte ${change.byte} of ${change.layer}, section "${change.section}" of "${change.capability}"${change.origin === undefined ? '' : `, written by "${change.origin}"`}: ${JSON.stringify(change.before)} became ${JSON.stringify(change.after)}`
  return new KernelError(
    'KERNEL_PREFIX_UNSTABLE',
    `The cached prefix of input ${input} differs from that of input 0 at ${where}. Move what changes to L2, or make it the same.`,
    { details: { input, changes } },
  )
}
