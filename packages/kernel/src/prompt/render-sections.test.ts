import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import type { TurnView } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import { owned } from '../testing-fixtures/prompt-assembler.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { renderSections } from './render-sections.ts'

const hangs = owned({ name: 'hangs', layer: 'L1', render: () => new Promise(() => {}) })

describe('sections that are rendered', () => {
  it('see the turn, with a signal that fires when time is up, and may still say what they have', async () => {
    const views: TurnView[] = []
    const saves = owned({
      ...{ name: 'saves', layer: 'L1' },
      render: (view) => {
        views.push(view)
        return new Promise((resolve) => {
          view.signal.addEventListener('abort', () => resolve('half of it'))
        })
      },
    })
    const view = turnView()
    const [saved, hung] = await renderSections([saves, hangs], view, 5)
    expect(saved).toMatchObject({ text: 'half of it', owned: saves })
    expect(hung).toMatchObject({ text: '', reason: 'it took longer than 5 ms' })
    expect(views).toEqual([{ ...view, signal: expect.any(AbortSignal) }])
    expect(view.signal.aborted).toBe(false)
    expect(getEventListeners(view.signal, 'abort')).toEqual([])
  })

  it('learn that nobody waits for them once one that is required has failed', async () => {
    let signal: AbortSignal | undefined
    const waits = owned({
      ...{ name: 'waits', layer: 'L1' },
      render: (view) => {
        signal = view.signal
        return new Promise(() => {})
      },
    })
    const fails = owned({
      ...{ name: 'fails', layer: 'L0', required: true },
      render: () => Promise.reject(new Error('down')),
    })
    const rendered = renderSections([waits, fails], turnView(), 60_000)
    await expect(rendered).rejects.toMatchObject({ code: 'KERNEL_SECTION_FAILED' })
    expect(signal?.aborted).toBe(true)
  })

  it.each([
    ['that hang', hangs],
    ['that are required', { ...hangs, section: { ...hangs.section, required: true } }],
  ])('have not failed when the turn is aborted: %s', async (_which, section) => {
    const warn = vi.fn()
    const controller = new AbortController()
    const view = turnView({ signal: controller.signal, logger: { ...silentLogger, warn } })
    const rendered = renderSections([section], view, 60_000)
    controller.abort('enough')
    await expect(rendered).rejects.toBe('enough')
    expect(warn).not.toHaveBeenCalled()
  })
})
