import { countTokens } from 'gpt-tokenizer'
import { cutText } from './cut-text.ts'
import type { TokenEstimator } from './token-estimate.ts'

/** A tokenizer's work grows with the square of a run without blanks, so it is given short pieces. */
const pieceChars = 500
/** Pieces of a long text that are counted; the rest is taken to be like them. */
const piecesMost = 40
/** Names of control tokens are text like any other here. */
const asText = { disallowedSpecial: new Set<string>() }

/**
 * Tokens as the models of OpenAI count them (o200k), a few per cent too many because pieces are
 * counted one by one. Texts above 20,000 characters are counted at 40 places spread over them. Other
 * providers tokenize differently, but mostly in proportion, which is what decisions depend on.
 */
export const estimateGptTokens: TokenEstimator = (text) => {
  const pieces = Math.ceil(text.length / pieceChars)
  if (pieces <= piecesMost) return countPieces(text, { pieces, stride: pieceChars })
  const stride = (text.length - pieceChars) / (piecesMost - 1)
  const counted = countPieces(text, { pieces: piecesMost, stride })
  return (counted * text.length) / (piecesMost * pieceChars)
}

function countPieces(text: string, { pieces, stride }: { pieces: number; stride: number }): number {
  let tokens = 0
  for (let piece = 0; piece < pieces; piece += 1) {
    const start = Math.floor(piece * stride)
    tokens += countTokens(cutText(text, start, start + pieceChars), asText)
  }
  return tokens
}
