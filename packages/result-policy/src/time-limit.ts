/** Waits for some work, but no longer than it is given. Rejects as the work does, or for the time. */
export async function within<Value>(work: PromiseLike<Value>, timeoutMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`It took longer than ${timeoutMs} ms.`)
    timer = setTimeout(() => reject(error), timeoutMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
