import type { KeyPath } from '../key-path.ts'
import { kindOf } from '../kind-of.ts'
import { yamlLimits } from './limits.ts'
import type { PlacedValue, TreeFault } from './resolve-tree.ts'

/** The skills of a document. */
export interface SkillList {
  readonly items: readonly PlacedValue[]
  /** Keys from the top of the document to the list. */
  readonly path: KeyPath
  /** What is wrong with the document around the list. */
  readonly faults: readonly TreeFault[]
}

/**
 * Finds the list of skills in either shape of a document: the list itself, or a mapping with a list
 * under `skills`. Other keys of the mapping begin with a dot and are there for anchors.
 *
 * @param root - Absent for a document without content, which holds no skills.
 * @see SKILL-13, OPEN-SKILL-3
 */
export function findSkillList(root: PlacedValue | undefined): SkillList {
  if (root === undefined || root.plain === null) return none
  if (root.items !== undefined) return { ...none, items: root.items }
  if (root.entries === undefined) {
    return { ...none, faults: [listRequired(root, [], `a list of skills, got ${got(root)}`)] }
  }
  const skills = root.entries.get('skills')?.value
  if (skills === undefined && root.entries.has('label')) {
    const message = 'A single skill stands in a list. Begin it with "- label:".'
    return {
      ...none,
      faults: [{ offset: root.offset, path: [], code: 'PREFLIGHT_LIST_REQUIRED', message }],
    }
  }
  const faults = unknownKeys(root.entries)
  if (skills?.items === undefined && (skills === undefined || skills.plain !== null)) {
    faults.push(
      skills === undefined
        ? listRequired(root, [], 'a list of skills under the key skills, got none')
        : listRequired(skills, ['skills'], `a list of skills here, got ${got(skills)}`),
    )
  }
  return { items: skills?.items ?? [], path: ['skills'], faults }
}

const none: SkillList = { items: [], path: [], faults: [] }

function listRequired({ offset }: PlacedValue, path: KeyPath, needs: string): TreeFault {
  const message = `The file needs ${needs}. Begin each skill with "- label:".`
  return { offset, path, code: 'PREFLIGHT_LIST_REQUIRED', message }
}

function got({ plain }: PlacedValue): string {
  return kindOf(plain)
}

function unknownKeys(entries: NonNullable<PlacedValue['entries']>): TreeFault[] {
  return [...entries]
    .filter(([key]) => key !== 'skills' && !key.startsWith('.'))
    .slice(0, yamlLimits.faults + 1)
    .map(([key, { keyOffset }]) => ({
      offset: keyOffset,
      path: [key],
      code: 'PREFLIGHT_UNKNOWN_KEY',
      message:
        'Beside skills, a file has only keys that begin with a dot, for values to anchor. Put a dot before this one, or remove it.',
    }))
}
