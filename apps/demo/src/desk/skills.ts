import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Skill } from '@symfonic/preflight'
import { loadSkillsFromYaml } from '@symfonic/preflight/yaml'

/** Where the rules of the desk are written. */
export const skillFile = fileURLToPath(new URL('./skills.yaml', import.meta.url))

/** The rules of the desk. */
export const deskSkills: readonly Skill[] = loadSkillsFromYaml(readFileSync(skillFile, 'utf8'), {
  fileName: 'skills.yaml',
})
