import { and, eq } from 'drizzle-orm'
import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'

// Who teaches whom in teaching sets. The routes and the judge of pushed rows both ask here, so that every node answers alike.

type SetsQuery = { school: string; user: string; subject: string; term: string }

/** The teaching sets of a subject, in the year of a term, that a person teaches. */
export const setsTaught = statement<SetsQuery>()(({ db, t, p }) => {
  const { term, teaching_set, teaching_set_teacher: taught } = t
  return db
    .select({ id: teaching_set.id })
    .from(term)
    .innerJoin(teaching_set, matches(teaching_set, { school_id: term.school_id, academic_year_id: term.academic_year_id }))
    .innerJoin(taught, matches(taught, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id, user_profile_id: p.user }))
    .where(and(matches(term, { school_id: p.school, id: p.term }), eq(teaching_set.subject_id, p.subject)))
})

/** The pupils in these sets, each once for every set. With `distinct` SQLite read the members of all sets of the school. */
export const pupilsTaughtInSets = statement<SetsQuery>()(({ db, t, p }) => {
  const { term, teaching_set, teaching_set_teacher: taught, teaching_set_member: member } = t
  return db
    .select({ id: member.student_id })
    .from(term)
    .innerJoin(teaching_set, matches(teaching_set, { school_id: term.school_id, academic_year_id: term.academic_year_id }))
    .innerJoin(taught, matches(taught, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id, user_profile_id: p.user }))
    .innerJoin(member, matches(member, { school_id: teaching_set.school_id, teaching_set_id: teaching_set.id }))
    .where(and(matches(term, { school_id: p.school, id: p.term }), eq(teaching_set.subject_id, p.subject)))
})
