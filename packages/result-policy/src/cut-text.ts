/** A part of a text by character positions. A pair of surrogates is left out rather than cut in two. */
export function cutText(text: string, start: number, end: number): string {
  let [from, to] = [Math.max(start, 0), Math.min(Math.max(end, 0), text.length)]
  if (splitsPair(text, from)) from += 1
  if (splitsPair(text, to)) to -= 1
  return to > from ? text.slice(from, to) : ''
}

function splitsPair(text: string, position: number): boolean {
  const [before, after] = [text.charCodeAt(position - 1), text.charCodeAt(position)]
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
