import type { Skill } from '../skill.ts'
import type { YamlFault } from '../yaml/fault.ts'
import { splitFrontMatter } from '../yaml/front-matter.ts'
import { readSkillFrontMatter } from '../yaml/read-skill-file.ts'
import { readSkillsFromYaml } from '../yaml/read-skills.ts'
import type { SkillPosition } from '../yaml/skill-position.ts'
import type { CommandIo } from './io.ts'
import { type Outcome, reasonOf } from './outcome.ts'

/** A skill, and where it was written. */
export interface PlacedSkill {
  readonly skill: Skill
  readonly file: string
  readonly position: SkillPosition
}

/** A fault, and the file it is in. */
export interface PlacedFault extends Omit<YamlFault, 'code'> {
  readonly file: string
  readonly code: YamlFault['code'] | 'PREFLIGHT_JSON_SYNTAX'
}

/** What the named files hold: one set of skills, in the order of the files. */
export interface LoadedSkills {
  readonly files: readonly string[]
  readonly skills: readonly PlacedSkill[]
  readonly faults: readonly PlacedFault[]
}

/**
 * Reads files of skills. A name that ends in `.md` is that of a skill file with front matter, one
 * that ends in `.json` must also be JSON, everything else is YAML. The standard input (`-`) has no
 * name to go by: it is a skill file when it begins with front matter that holds no list of skills,
 * else YAML. A folder stands for the skill files in it.
 */
export async function loadSkillFiles(
  names: readonly string[],
  io: CommandIo,
): Promise<Outcome<LoadedSkills>> {
  const files: string[] = []
  const skills: PlacedSkill[] = []
  const faults: PlacedFault[] = []
  for (const name of new Set(names)) {
    const texts = await textsOf(name, io)
    if ('problem' in texts) return texts
    for (const { file, text } of texts.value) {
      if (files.includes(file)) continue
      files.push(file)
      const reading = read(file, text)
      for (const fault of reading.faults) faults.push({ ...fault, file })
      for (const [at, skill] of reading.skills.entries()) {
        const position = reading.positions[at]
        if (position !== undefined) skills.push({ skill, file, position })
      }
    }
  }
  return { value: { files, skills, faults } }
}

interface NamedText {
  readonly file: string
  readonly text: string
}

async function textsOf(name: string, io: CommandIo): Promise<Outcome<readonly NamedText[]>> {
  try {
    if (name === '-') return { value: [{ file: '-', text: await io.readInput() }] }
    const inFolder = await io.skillFilesIn(name)
    if (inFolder?.length === 0) {
      return { problem: `Folder ${name} holds no SKILL.md. Name a folder that does, or a file.` }
    }
    const texts: NamedText[] = []
    for (const file of inFolder ?? [name]) texts.push({ file, text: await io.readFile(file) })
    return { value: texts }
  } catch (error) {
    return { problem: `${name} cannot be read: ${reasonOf(error)}. Name a file that can.` }
  }
}

interface Reading {
  readonly skills: readonly Skill[]
  readonly positions: readonly SkillPosition[]
  readonly faults: readonly Omit<PlacedFault, 'file'>[]
}

function read(file: string, text: string): Reading {
  if (/\.md$/iu.test(file) || (file === '-' && isSkillFile(text))) {
    const { skill, position, faults } = readSkillFrontMatter(text)
    return {
      skills: skill === undefined ? [] : [skill],
      positions: position === undefined ? [] : [position],
      faults,
    }
  }
  const reading = readSkillsFromYaml(text)
  if (reading.faults.length > 0 || !/\.json$/iu.test(file)) return reading
  const fault = jsonFault(text)
  return fault === undefined ? reading : { skills: [], positions: [], faults: [fault] }
}

/**
 * Two lines of dashes make two documents, and no YAML that is read has two. Only when the first of
 * them begins as skills do is a slip in YAML more likely than a skill file.
 */
function isSkillFile(text: string): boolean {
  const parts = splitFrontMatter(text.replace(/^\ufeff/u, ''))
  if ('missing' in parts) return false
  const content = parts.yaml.split('\n').find((line) => !/^\s*(?:#|$)/u.test(line))
  return content === undefined || !/^\s*(?:-\s|\[|skills\s*:|\.)/u.test(content)
}

/** YAML takes more than JSON does, and whoever loads the file will not read it as YAML. */
function jsonFault(text: string): Omit<PlacedFault, 'file'> | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const reason = reasonOf(error)
    const [, line = '1', column = '1'] = /line (\d+) column (\d+)/u.exec(reason) ?? []
    return {
      line: Number(line),
      column: Number(column),
      keyPath: '',
      code: 'PREFLIGHT_JSON_SYNTAX',
      message: `The file is YAML, but not JSON: ${reason}. Correct it, or name the file .yaml.`,
    }
  }
}
