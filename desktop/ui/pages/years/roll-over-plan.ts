import type { RolledClass } from '@markbook/shared/contract/academic-years'
import { nextName } from './next-name.ts'
import type { TermEdits } from './next-terms.ts'

/** A class of the new year: an existing one (`classId`), or a new one. `teacherId`: its class teacher, '' for last year's. */
export type Target = { key: string; name: string; classId: string | null; teacherId: string }
/** Where a pupil goes: the key of a target, or one of these. */
export const LEAVES = 'leaves'
export const LATER = 'later'
/** The key of the pupils who had no class in the year before. */
export const NO_CLASS = 'none'

/**
 * The choices of the head. `goes`: the destinations of each former class, among which its pupils are shared; `pupils`: the pupils who go
 * elsewhere.
 */
export type Choices = {
  targets: readonly Target[]
  goes: Readonly<Record<string, readonly string[]>>
  pupils: Readonly<Record<string, string>>
  makesInactive: boolean
  /** Whether the categories, last year's scale and its teaching sets are taken over, and whether repeating pupils stay in the sets. */
  takesCategories: boolean
  takesScale: boolean
  takesSets: boolean
  keepsRepeaters: boolean
  /** The changes of the proposed terms. */
  terms: TermEdits
}

/**
 * The scale is not taken over by default: a year may have its own only because the school's has changed since. Sets move up like classes,
 * without repeating pupils.
 */
const structure = { takesCategories: true, takesScale: false, takesSets: true, keepsRepeaters: false, terms: {} as TermEdits }

export type Named = { id: string; name: string }
type Pupil = { id: string; name: string }
/** A class of the year before, with its active pupils who have no class in the new year yet, in the order of the register. */
export type Former = Named & { pupils: readonly Pupil[]; placed: number }

export const targetOf = ({ id, name }: Named): Target => ({ key: id, name, classId: id, teacherId: '' })

/** What the parts of the page show and change. */
export type ChoicesProps = {
  former: readonly Former[]
  existing: readonly Named[]
  choices: Choices
  onChange: (change: Partial<Choices>) => void
}

/** The proposal: each class moves to one with the next name, an existing one where there is one. A class without pupils goes nowhere. */
export function proposed(former: readonly Former[], existing: readonly Named[]): Choices {
  const opened = new Map<string, Target>()
  const goes: Record<string, readonly string[]> = {}
  for (const { id, name, pupils } of former) {
    if (id === NO_CLASS || pupils.length === 0) continue
    const next = nextName(name)
    const known = existing.find((one) => one.name === next)
    if (!known && !opened.has(next)) opened.set(next, { key: `new ${id}`, name: next, classId: null, teacherId: '' })
    goes[id] = [known?.id ?? opened.get(next)?.key ?? LATER]
  }
  return { targets: [...opened.values()], goes, pupils: {}, makesInactive: true, ...structure }
}

/** The destination of a pupil by default: several destinations of a class get equal parts of its register. */
function shareOf({ id, pupils }: Former, { goes }: Pick<Choices, 'goes'>, at: number): string {
  const destinations = goes[id] ?? []
  return destinations[Math.floor((at * destinations.length) / Math.max(1, pupils.length))] ?? LATER
}

/** `repeats`: the pupil goes into the class with the name of the former one. */
export type Placement = { pupil: Pupil; from: Former; to: string; isException: boolean; repeats: boolean }

/** The destination of every pupil. A destination that does not exist any more (a class was deleted) counts as none. */
export function placements(former: readonly Former[], choices: Choices, existing: readonly Named[]): Placement[] {
  const names = new Map([...existing.map(targetOf), ...choices.targets].map(({ key, name }) => [key, name.trim()]))
  const valid = (to: string) => (to === LEAVES || names.has(to) ? to : LATER)
  return former.flatMap((from) =>
    from.pupils.map((pupil, at) => {
      const share = valid(shareOf(from, choices, at))
      const to = valid(choices.pupils[pupil.id] ?? share)
      const isException = to !== share && !(choices.goes[from.id] ?? []).includes(to)
      return { pupil, from, to, isException, repeats: from.id !== NO_CLASS && names.get(to) === from.name }
    }),
  )
}

/** How many pupils stay at the school and have no class in the new year. */
export const unplacedCount = (placed: readonly Placement[], { makesInactive }: Pick<Choices, 'makesInactive'>): number =>
  placed.filter(({ to }) => to === LATER || (to === LEAVES && !makesInactive)).length

/** The classes of last year from which a new class takes teachers and subjects. */
export const sourcesOf = (key: string, former: readonly Former[], { goes }: Pick<Choices, 'goes'>) =>
  former.filter(({ id }) => id !== NO_CLASS && goes[id]?.includes(key))

type Body = { classes: RolledClass[]; leavingStudentIds?: string[] }

/** The request: each new class, and each existing class that gets pupils. `keys`: the target of each of `classes`. */
export function bodyOf(former: readonly Former[], choices: Choices, existing: readonly Named[]): { keys: string[]; body: Body } {
  const placed = placements(former, choices, existing)
  const opened = choices.targets.map((target) => ({ key: target.key, rolled: opening(target, former, choices, placed) }))
  const filled = existing.flatMap(({ id }) => {
    const joining = idsOf(placed.filter(({ to }) => to === id))
    return joining.length > 0 ? [{ key: id, rolled: { intoClassId: id, otherStudentIds: joining } }] : []
  })
  const parts = [...opened, ...filled]
  const leaving = choices.makesInactive ? idsOf(placed.filter(({ to }) => to === LEAVES)) : []
  const classes = parts.map(({ rolled }) => rolled)
  return { keys: parts.map(({ key }) => key), body: { classes, ...(leaving.length > 0 && { leavingStudentIds: leaving }) } }
}

const idsOf = (placed: readonly Placement[]) => placed.map(({ pupil }) => pupil.id)

function opening({ key, name, teacherId }: Target, former: readonly Former[], choices: Choices, placed: readonly Placement[]): RolledClass {
  const [first, ...more] = sourcesOf(key, former, choices).map(({ id }) => id)
  const own = placed.filter(({ to }) => to === key)
  const isFromSource = ({ from }: Placement) => from.id === first || more.includes(from.id)
  const joining = idsOf(own.filter((one) => !isFromSource(one)))
  return {
    name: name.trim(),
    ...(first !== undefined && { fromClassId: first, studentIds: idsOf(own.filter(isFromSource)) }),
    ...(more.length > 0 && { alsoFromClassIds: more }),
    ...(joining.length > 0 && { otherStudentIds: joining }),
    ...(teacherId !== '' && { classTeacherId: teacherId }),
  }
}

/** Stored choices; null where none are stored or they cannot be read. */
export function storedChoices(text: string | null): Choices | null {
  try {
    const kept = JSON.parse(text ?? 'null') as Choices | null
    return kept && Array.isArray(kept.targets) && typeof kept.goes === 'object' && typeof kept.pupils === 'object'
      ? { ...structure, ...kept }
      : null
  } catch {
    return null
  }
}
