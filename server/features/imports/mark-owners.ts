import type { Issue } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import type { Who } from './mark-columns.ts'
import { nameKey } from './pupil-index.ts'

/** A student whom a row may mean. `isNear`: one of those whom the import is about, who are preferred among namesakes. */
export type Candidate = { id: string; student_number: string | null; last_name: string; first_name: string; isNear: boolean }
export type Owner = { candidate: Candidate } | { issue: Issue }

const fail = (path: string, message: string): Owner => ({ issue: { path, message } })

/** A row whose hidden id or number belongs to a student of another name is refused: part of the table may have been sorted. */
function contradiction(candidate: Candidate, { student_number, last_name, first_name }: Who): Issue | undefined {
  const message = `does not fit: this row is for ${candidate.first_name} ${candidate.last_name}`
  if (student_number && candidate.student_number && student_number !== candidate.student_number)
    return { path: 'student_number', message: `${message}, who has the number ${candidate.student_number}` }
  const own = nameKey(candidate)
  if (last_name && own !== nameKey({ last_name, first_name: first_name || candidate.first_name })) return { path: 'last_name', message }
  if (first_name && own !== nameKey({ last_name: last_name || candidate.last_name, first_name })) return { path: 'first_name', message }
  return undefined
}

/** Finds whose marks a row holds: by hidden id, else by student number, else by both names. */
export function ownerFinder(candidates: readonly Candidate[]): (who: Who) => Owner {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  const byNumber = new Map(candidates.map((candidate) => [candidate.student_number, candidate]))
  const byName = groupedBy(candidates, nameKey)

  const named = (who: Who): Owner => {
    const namesakes = byName.get(nameKey(who)) ?? []
    const near = namesakes.filter(({ isNear }) => isNear)
    const [candidate, ...others] = near.length > 0 ? near : namesakes
    if (!candidate) return fail('last_name', 'is not the name of a student here')
    return others.length > 0 ? fail('last_name', 'is the name of several students here; give the student number') : { candidate }
  }
  const found = (who: Who): Owner => {
    if (who.student_id !== null) {
      const candidate = byId.get(who.student_id)
      return candidate ? { candidate } : fail('student_id', 'is not a student here')
    }
    if (who.student_number !== '') {
      const candidate = byNumber.get(who.student_number)
      return candidate ? { candidate } : fail('student_number', 'is not the number of a student here')
    }
    if (who.last_name && who.first_name) return named(who)
    return fail(who.last_name ? 'first_name' : 'last_name', 'is required where there is no student number')
  }
  return (who) => {
    const owner = found(who)
    const issue = 'candidate' in owner ? contradiction(owner.candidate, who) : undefined
    return issue ? { issue } : owner
  }
}
