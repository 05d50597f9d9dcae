/** How much a word of `context` counts against one of `content`, in every store. */
export const contextWeight = 0.5
