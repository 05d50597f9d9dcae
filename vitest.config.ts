import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      'apps/*',
      'tooling/*',
      { extends: './vitest.shared.ts', test: { name: 'root', include: ['tests/**/*.test.ts'] } },
    ],
  },
})
