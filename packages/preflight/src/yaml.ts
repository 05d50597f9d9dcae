// The public surface of @symfonic/preflight/yaml. A name added here is a promise. The library `yaml`
// is reached from here only.

// Where things stand
export type { YamlFault, YamlFaultCode, YamlPosition } from './yaml/fault.ts'
// How large a file may be
export { yamlLimits } from './yaml/limits.ts'
// Skill files with front matter
export {
  loadSkillFrontMatter,
  readSkillFrontMatter,
  type SkillFile,
  type SkillFileReading,
} from './yaml/read-skill-file.ts'
// Files of skills
export { loadSkillsFromYaml, readSkillsFromYaml, type SkillsReading } from './yaml/read-skills.ts'
export type { SkillPosition } from './yaml/skill-position.ts'
