import { academicYears } from '@markbook/shared/contract/academic-years'
import { assessmentCategories } from '@markbook/shared/contract/assessment-categories'
import { assessments } from '@markbook/shared/contract/assessments'
import { classes } from '@markbook/shared/contract/classes'
import { grades } from '@markbook/shared/contract/grades'
import { historyFailures } from '@markbook/shared/contract/history'
import { reports } from '@markbook/shared/contract/reports'
import { students } from '@markbook/shared/contract/students'
import { subjects } from '@markbook/shared/contract/subjects'
import { teachingSets } from '@markbook/shared/contract/teaching-sets'
import { terms } from '@markbook/shared/contract/terms'
import { common } from '@markbook/shared/failures'
import { hasWrongId } from '@markbook/shared/tables/natural'
import type { Row } from '@markbook/shared/tables/tables'
import { academicYearHandlers } from '../academic-years/academic-years.handlers.ts'
import { assessmentCategoryHandlers } from '../assessment-categories/assessment-categories.handlers.ts'
import { assessmentHandlers } from '../assessments/assessments.handlers.ts'
import { lockedAssessment } from '../assessments/assessments.policy.ts'
import { takeRegister } from '../attendance/attendance.policy.ts'
import { classHandlers } from '../classes/classes.handlers.ts'
import { gradeHandlers } from '../grades/grades.handlers.ts'
import { demandFor, demandWithinMaximum, type GradedStudent, gradedStudentsFor, gradeRights, lockedGrade } from '../grades/grades.policy.ts'
import { classOf, rowOf } from '../policy.ts'
import { reportHandlers } from '../reports/reports.handlers.ts'
import { demandUnlocked, takeBack } from '../reports/reports.policy.ts'
import { studentHandlers } from '../students/students.handlers.ts'
import { subjectHandlers } from '../subjects/subjects.handlers.ts'
import { teachingSetHandlers } from '../teaching-sets/teaching-sets.handlers.ts'
import { termHandlers } from '../terms/terms.handlers.ts'
import { writableBefore } from './history.policy.ts'
import { type Entity, liveRows } from './history.queries.ts'
import { demandUnchanged, type EntryOf, route, throughRoutes, type UndoContext, type Undoer } from './undo.ts'

type Grade = Row<'grade'>
type Mark = Row<'attendance_mark'>
type Book = Row<'report_book'>

const updates = throughRoutes(route(grades.update, gradeHandlers.update), route(grades.exclude, gradeHandlers.exclude, { whole: true }))

/** Deletes a grade that was recorded by mistake. */
const creation: Undoer = {
  load: (context, entry) => lockedGrade(context, entry.row_id),
  write: async (context, entry) => {
    const grade = await demandUnchanged(context, entry)
    await context.tx.remove('grade', [grade as Grade])
  },
}

/** Inserts a deleted grade again under its id, while its assessment exists. */
const deletion: Undoer<{ assessment: Row<'assessment'>; gradedStudents: GradedStudent[] } | null> = {
  load: async (context: UndoContext, { changes }: EntryOf) => {
    const id = changes['assessment_id']?.before as string
    const [known] = await liveRows.assessment(context.tx, { school: context.caller.school_id, id })
    if (!known) return null
    const assessment = await lockedAssessment(context, id)
    const rights = await gradeRights(context, assessment)
    return { assessment, gradedStudents: await gradedStudentsFor(context, assessment, rights, [changes['student_id']?.before as string]) }
  },
  write: async ({ tx, caller }, entry, deleted) => {
    if (!deleted) throw historyFailures.cannotUndo({ message: 'The assessment of this grade was deleted.' })
    const { assessment, gradedStudents } = deleted
    const { row_id: id, changes } = entry
    if (await tx.find('grade', caller.school_id, id)) throw historyFailures.changedSince()
    const place = { school_id: caller.school_id, assessment_id: assessment.id, term_id: assessment.term_id }
    const nulls = { score: null, status: null, remarks: null, is_excluded: false, exclusion_reason: null }
    const said = writableBefore('grade', entry)
    // A write that was refused or lost in a conflict keeps who made it (features/replication/decide.ts).
    const maker = 'created_by' in changes && { created_by: before(changes, 'created_by') }
    const row = { ...nulls, ...said, ...maker, ...place, id, student_id: before(changes, 'student_id') } as Grade
    if (!said || (row.score === null && row.status === null) || hasWrongId('grade', row)) throw historyFailures.cannotUndo()
    await demandFor(tx, assessment, gradedStudents)
    demandWithinMaximum(assessment, [row])
    await tx.insert('grade', row)
  },
}

const byAction = { create: creation, update: updates, delete: deletion as Undoer }

/** Only grades can be undone entirely: recorded, changed or deleted. */
const gradeUndoer: Undoer = {
  load: (context, entry) => byAction[entry.action].load(context, entry),
  write: (context, entry, loaded) => byAction[entry.action].write(context, entry, loaded),
}

const before = <T>(changes: EntryOf['changes'], column: string) => changes[column]?.before as T | undefined

/** Undoes an attendance mark through the register, with its checks. A mark is never deleted: undoing the first mark sets `present`. */
const attendanceUndoer: Undoer<Row<'student_group'> | null> = {
  load: async (context, { action, row_id }) => {
    if (action === 'delete') return null
    const [mark] = (await liveRows.attendance_mark(context.tx, { school: context.caller.school_id, id: row_id })) as Mark[]
    return (await classOf(context, 'takeAttendance', mark?.student_group_id)).group
  },
  write: async (context, entry, group) => {
    if (!group) throw historyFailures.cannotUndo()
    const mark = (await demandUnchanged(context, entry)) as Mark
    const { day, lesson, student_id: studentId } = mark
    const said = entry.action === 'create' ? { code: 'present' as const, note: null } : writableBefore('attendance_mark', entry, mark)
    if (!said) throw historyFailures.cannotUndo()
    await takeRegister(context.tx, group, { day, lesson, marks: [{ studentId, ...said }] })
  },
}

const bookUpdates = throughRoutes(route(reports.update, reportHandlers.update, { following: ['approved_at', 'approved_by'] }))

/** Undoes sending a report back; an approval before that is not restored. */
const sentBack: Undoer<Book> = {
  load: (context, { row_id }) => {
    if (context.caller.role !== 'admin') throw common.adminOnly()
    return rowOf(context, 'report_book', row_id)
  },
  write: async (context, entry, book) => {
    await demandUnchanged(context, entry)
    demandUnlocked(book)
    await takeBack(context.tx, book)
  },
}

const isSendingBack = ({ action, changes }: EntryOf) => action === 'update' && typeof changes['sent_back_at']?.after === 'string'
const bookUndoer: Undoer = {
  load: (context, entry) => (isSendingBack(entry) ? sentBack : bookUpdates).load(context, entry),
  write: (context, entry, loaded) =>
    isSendingBack(entry) ? sentBack.write(context, entry, loaded as Book) : bookUpdates.write(context, entry, loaded),
}

/** How changes of each kind of row are undone; other kinds cannot be undone. */
export const undoers: Partial<Record<Entity, Undoer>> = {
  grade: gradeUndoer,
  attendance_mark: attendanceUndoer as Undoer,
  assessment: throughRoutes(
    route(assessments.update, assessmentHandlers.update),
    route(assessments.exclude, assessmentHandlers.exclude, { whole: true }),
  ),
  assessment_category: throughRoutes(route(assessmentCategories.update, assessmentCategoryHandlers.update)),
  teaching_set: throughRoutes(route(teachingSets.update, teachingSetHandlers.update)),
  academic_year: throughRoutes(route(academicYears.update, academicYearHandlers.update)),
  term: throughRoutes(route(terms.update, termHandlers.update)),
  subject: throughRoutes(route(subjects.update, subjectHandlers.update)),
  student: throughRoutes(route(students.update, studentHandlers.update)),
  student_group: throughRoutes(route(classes.update, classHandlers.update)),
  report_book: bookUndoer,
  report_book_entry: throughRoutes(route(reports.updateEntry, reportHandlers.updateEntry, { columns: { letterGrade: 'manual_letter' } })),
}
