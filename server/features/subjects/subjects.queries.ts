import { and, asc, eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

/** The subjects of a school by `sort_order`, equal ones by name; locked where the transaction writes. */
export const subjectsOf = statement<{ school: string }>({ lock: 'subject' })(({ db, t, p }) =>
  db
    .select()
    .from(t.subject)
    .where(eq(t.subject.school_id, p.school))
    .orderBy(asc(t.subject.sort_order), asc(t.subject.name), asc(t.subject.id)),
)

type OfSubject = { school: string; subject: string }

const anAssessment = statement<OfSubject>()(({ db, t, p }) =>
  db
    .select({ id: t.assessment.id })
    .from(t.assessment)
    .where(and(eq(t.assessment.school_id, p.school), eq(t.assessment.subject_id, p.subject)))
    .limit(1),
)

const aReportEntry = statement<OfSubject>()(({ db, t, p }) =>
  db
    .select({ id: t.report_book_entry.id })
    .from(t.report_book_entry)
    .where(and(eq(t.report_book_entry.school_id, p.school), eq(t.report_book_entry.subject_id, p.subject)))
    .limit(1),
)

/** One row of each kind that keeps a subject from being deleted. */
export const usesOfSubject = [anAssessment, aReportEntry]

/** Who teaches the subject; locked where the transaction writes. */
export const teachersOfSubject = statement<OfSubject>({ lock: 'teacher_subject_assignment' })(({ db, t, p }) =>
  db
    .select()
    .from(t.teacher_subject_assignment)
    .where(and(eq(t.teacher_subject_assignment.school_id, p.school), eq(t.teacher_subject_assignment.subject_id, p.subject))),
)

/** Who takes the subject; locked where the transaction writes. */
export const takersOfSubject = statement<OfSubject>({ lock: 'student_subject' })(({ db, t, p }) =>
  db
    .select()
    .from(t.student_subject)
    .where(and(eq(t.student_subject.school_id, p.school), eq(t.student_subject.subject_id, p.subject))),
)
