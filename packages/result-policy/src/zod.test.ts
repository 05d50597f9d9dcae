import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defaultSettings } from './settings.ts'
import { settingsSchema } from './zod.ts'

describe('the zod schema of the settings', () => {
  it('gives what defineSettings gives', () => {
    expect(settingsSchema.parse({})).toEqual(defaultSettings)
    expect(settingsSchema.parse({ tools: { a: 'never' } }).tools).toEqual({ a: 'never' })
  })

  it.each([{ foo: 1 }, { cache: '2h' }, { tools: { a: 'sometimes' } }, { minChars: '1' }])(
    'refuses %j',
    (source) => {
      expect(settingsSchema.safeParse(source).success).toBe(false)
    },
  )

  it('passes on what only the settings themselves know, with the place', () => {
    const { error } = settingsSchema.safeParse({ minChars: 300 })
    expect(error?.issues).toMatchObject([
      { path: ['minChars'], params: { code: 'RESULT_SETTING_INVALID' } },
    ])
  })

  it('names the tool whose rule would change nothing, whatever its name is', () => {
    const tools = { 'files.read': { offloadAboveChars: 500 } }
    expect(settingsSchema.safeParse({ tools }).error?.issues).toMatchObject([
      { path: ['tools', 'files.read'], message: expect.stringContaining('minChars, 1000') },
    ])
  })

  it('describes every setting with its default', () => {
    const { properties = {} } = z.toJSONSchema(settingsSchema, { io: 'input' })
    expect(Object.keys(properties).sort()).toEqual(Object.keys(defaultSettings).sort())
    for (const property of Object.values(properties)) {
      expect(property).toMatchObject({
        default: expect.anything(),
        description: expect.any(String),
      })
    }
  })
})
