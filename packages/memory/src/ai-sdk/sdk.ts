// The one door to `ai`.

export {
  type EmbeddingModel,
  embedMany,
  gateway,
  type Instructions,
  jsonSchema,
  type LanguageModel,
  type LanguageModelMiddleware,
  type ModelMessage,
  type Tool,
  tool,
  wrapLanguageModel,
} from 'ai'
