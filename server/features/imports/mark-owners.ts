import { fullName } from '@markbook/shared/domain/full-name'
import type { Issue } from '@markbook/shared/failures'
import { groupedBy } from '@markbook/shared/grouped-by'
import { type FaultCode, fault } from './faults.ts'
import type { StudentCells } from './mark-columns.ts'
import { nameKey } from './pupil-index.ts'

/** A student whom a row may mean. `isNear`: one of the import's class, preferred among students of the same name. */
export type Candidate = {
  id: string
  student_number: string | null
  last_name: string
  first_name: string
  /** Their class in the year of the marks. */
  group_id: string | null
  isNear: boolean
}
export type Owner = { candidate: Candidate } | { issue: Issue }

const fail = (path: string, code: FaultCode): Owner => ({ issue: fault(path, code) })

/** The issue of a row whose hidden id or number belongs to a student of another name: part of the table may have been sorted. */
function contradiction(candidate: Candidate, { student_number, last_name, first_name }: StudentCells): Issue | undefined {
  const name = fullName(candidate)
  if (student_number && candidate.student_number && student_number !== candidate.student_number)
    return fault('student_number', 'other_row_number', { name, number: candidate.student_number })
  const own = nameKey(candidate)
  if (last_name && own !== nameKey({ last_name, first_name: first_name || candidate.first_name }))
    return fault('last_name', 'other_row', { name })
  if (first_name && own !== nameKey({ last_name: last_name || candidate.last_name, first_name }))
    return fault('first_name', 'other_row', { name })
  return undefined
}

/** Finds the student of a row: by hidden id, else by student number, else by both names. */
export function ownerFinder(candidates: readonly Candidate[]): (who: StudentCells) => Owner {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  const byNumber = new Map(candidates.map((candidate) => [candidate.student_number, candidate]))
  const byName = groupedBy(candidates, nameKey)

  const named = (who: StudentCells): Owner => {
    const namesakes = byName.get(nameKey(who)) ?? []
    const near = namesakes.filter(({ isNear }) => isNear)
    const [candidate, ...others] = near.length > 0 ? near : namesakes
    if (!candidate) return fail('last_name', 'no_name_here')
    return others.length > 0 ? fail('last_name', 'several_here') : { candidate }
  }
  const found = (who: StudentCells): Owner => {
    if (who.student_id !== null) {
      const candidate = byId.get(who.student_id)
      return candidate ? { candidate } : fail('student_id', 'not_here')
    }
    if (who.student_number !== '') {
      const candidate = byNumber.get(who.student_number)
      return candidate ? { candidate } : fail('student_number', 'no_number_here')
    }
    if (who.last_name && who.first_name) return named(who)
    return fail(who.last_name ? 'first_name' : 'last_name', 'required_name')
  }
  return (who) => {
    const owner = found(who)
    const issue = 'candidate' in owner ? contradiction(owner.candidate, who) : undefined
    return issue ? { issue } : owner
  }
}
