// The one door to `ai`. At run time only the recall tool needs it, for its input schema.

export { jsonSchema, type LanguageModelMiddleware, type ModelMessage, type Tool, tool } from 'ai'
