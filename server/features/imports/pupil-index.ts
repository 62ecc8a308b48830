import { searchTerm } from '@markbook/shared/domain/fold'
import type { Issue } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import { type FaultCode, fault } from './faults.ts'
import type { PupilFields } from './pupil-rows.ts'

type Pupil = Row<'student'>
/** `byName`: nothing but the name says that it is this pupil. */
export type Match = { kind: 'known'; pupil: Pupil; byName?: true } | { kind: 'new' } | { kind: 'unclear'; issue: Issue }

/** A name for comparing: without case, accents and surrounding spaces. */
export const nameKey = ({ last_name, first_name }: { last_name: string; first_name: string }): string =>
  `${searchTerm(last_name)}\u0001${searchTerm(first_name)}`

const differ = (a: string | null | undefined, b: string | null | undefined): boolean => Boolean(a && b && a !== b)
const unclear = (path: string, code: FaultCode, values?: Record<string, string>): Match => ({
  kind: 'unclear',
  issue: fault(path, code, values),
})

/** The pupil among those of the same name whom a row means. A missing birth date matches a missing one, if only one student fits. */
function amongNamesakes(namesakes: readonly Pupil[], fields: PupilFields): Match {
  const born = fields.date_of_birth ?? null
  const [sure, another] = born === null ? [] : namesakes.filter((pupil) => pupil.date_of_birth === born)
  if (another) return unclear('last_name', 'two_alike')
  if (sure && differ(sure.student_number, fields.student_number))
    return unclear('student_number', 'other_number', { number: sure.student_number ?? '' })
  if (sure) return { kind: 'known', pupil: sure }
  const possible = namesakes.filter((pupil) => !differ(pupil.date_of_birth, born) && !differ(pupil.student_number, fields.student_number))
  const [pupil, ...others] = possible
  if (!pupil) return { kind: 'new' }
  const isOnly = others.length === 0 && born === null && pupil.date_of_birth === null
  return isOnly ? { kind: 'known', pupil, byName: true } : unclear('date_of_birth', 'birth_missing')
}

/** The pupils of a school for look-ups by an import, including those that its earlier rows created or changed. */
export function pupilIndex(pupils: readonly Pupil[]) {
  const byNumber = new Map<string, Pupil>()
  const byName = new Map<string, Map<string, Pupil>>()
  const namesakesOf = (key: string) => {
    const known = byName.get(key) ?? new Map<string, Pupil>()
    byName.set(key, known)
    return known
  }
  const put = (pupil: Pupil) => {
    if (pupil.student_number !== null) byNumber.set(pupil.student_number, pupil)
    namesakesOf(nameKey(pupil)).set(pupil.id, pupil)
  }
  for (const pupil of pupils) put(pupil)
  return {
    /** By student number, else by names and birth date (decisions §6); an ambiguous row matches nobody. */
    match(fields: PupilFields): Match {
      const { student_number, last_name, first_name } = fields
      const numbered = student_number === undefined ? undefined : byNumber.get(student_number)
      if (numbered) return { kind: 'known', pupil: numbered }
      if (!last_name || !first_name) {
        if (student_number !== undefined) return { kind: 'new' }
        return unclear(last_name ? 'first_name' : 'last_name', 'required_name')
      }
      return amongNamesakes([...namesakesOf(nameKey({ last_name, first_name })).values()], fields)
    },
    replace(before: Pupil, after: Pupil): void {
      byName.get(nameKey(before))?.delete(before.id)
      put(after)
    },
    put,
  }
}
