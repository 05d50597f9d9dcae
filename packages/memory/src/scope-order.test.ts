import { describe, expect, it } from 'vitest'
import { createScopeOrder } from './scope-order.ts'

/** Work that is over when it is told, and says when it begins and ends. */
function createWork(log: string[]) {
  return (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = async () => {
      log.push(`+${name}`)
      await promise
      log.push(`-${name}`)
      return name
    }
    return { work, end: resolve }
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('createScopeOrder', () => {
  it('does work beside other work, alone after what was there, and what comes later after that', async () => {
    const order = createScopeOrder()
    const log: string[] = []
    const create = createWork(log)
    const [a, b, alone, c] = ['a', 'b', 'alone', 'c'].map(create)
    if (!(a && b && alone && c)) throw new Error('There is no work.')
    const results = [
      order.beside('x')(a.work),
      order.beside('x')(b.work),
      order.alone('x', alone.work),
      order.beside('x')(c.work),
    ]
    await settled()
    expect(log).toEqual(['+a', '+b'])
    a.end()
    await settled()
    expect(log).toEqual(['+a', '+b', '-a'])
    b.end()
    c.end()
    await settled()
    expect(log).toEqual(['+a', '+b', '-a', '-b', '+alone'])
    alone.end()
    expect(await Promise.all(results)).toEqual(['a', 'b', 'alone', 'c'])
    expect(log.slice(-3)).toEqual(['-alone', '+c', '-c'])
  })

  it('keeps a place that was taken before its work begins', async () => {
    const order = createScopeOrder()
    const log: string[] = []
    const inOrder = order.beside('x')
    const alone = order.alone('x', async () => log.push('alone'))
    await settled()
    await inOrder(async () => log.push('beside'))
    await alone
    expect(log).toEqual(['beside', 'alone'])
  })

  it('lets other scopes be', async () => {
    const order = createScopeOrder()
    order.beside('x')
    expect(await order.alone('y', async () => 'done')).toBe('done')
  })

  it('goes on after work that failed', async () => {
    const order = createScopeOrder()
    const fail = async () => {
      throw new Error('It failed.')
    }
    const failed = order.beside('x')(fail)
    const alone = order.alone('x', fail)
    const last = order.alone('x', async () => 'done')
    await expect(failed).rejects.toThrow('It failed.')
    await expect(alone).rejects.toThrow('It failed.')
    expect(await last).toBe('done')
  })
})
