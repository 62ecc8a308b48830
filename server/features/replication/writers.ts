import { academicYears } from '@markbook/shared/contract/academic-years'
import { attendance } from '@markbook/shared/contract/attendance'
import { classes } from '@markbook/shared/contract/classes'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { gradingScale } from '@markbook/shared/contract/grading-scale'
import { historyFailures } from '@markbook/shared/contract/history'
import { schools } from '@markbook/shared/contract/schools'
import { Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import { academicYearHandlers } from '../academic-years/academic-years.handlers.ts'
import { attendanceHandlers } from '../attendance/attendance.handlers.ts'
import { classHandlers } from '../classes/classes.handlers.ts'
import { gradingScaleHandlers } from '../grading-scale/grading-scale.handlers.ts'
import { demandUnchanged, type EntryOf, earlierValues, route, throughRoutes, type UndoContext, type Undoer } from '../history/undo.ts'
import { undoers } from '../history/undoers.ts'
import { demandGuard, loadRequest, runRequest, type WriteRequest, writeRequest } from '../history/write-request.ts'
import { demandInClass } from '../policy.ts'
import { schoolHandlers } from '../schools/schools.handlers.ts'

type Values = Readonly<Record<string, unknown>>

/** Writes through the endpoint that `ask` returns, with its guard, access and checks. */
const throughAsking = (guarding: Endpoint, ask: (row: Values, wanted: Values) => WriteRequest): Undoer<unknown> => {
  const requestFor = async (context: UndoContext, entry: EntryOf): Promise<WriteRequest> => {
    const row = (await context.tx.find(entry.entity, context.caller.school_id, entry.row_id)) as Values | undefined
    if (!row) throw historyFailures.changedSince()
    return ask(row, earlierValues(entry))
  }
  return {
    load: async (context, entry) => {
      demandGuard(context, guarding)
      // Without a value, only the right to decide is checked.
      if (entry.action !== 'update' || Object.keys(entry.changes).length === 0) return undefined
      return loadRequest(context, await requestFor(context, entry)).catch(toUndoingFailure)
    },
    write: async (context, entry, loaded) => {
      await demandUnchanged(context, entry)
      await runRequest(context, await requestFor(context, entry), loaded)
    },
  }
}

/** Turns the failure into the refusal that a row named by the wanted value does not exist any more. */
export const toUndoingFailure = (error: unknown): never => {
  throw error instanceof Failure && error.status === 404 ? historyFailures.cannotUndo() : error
}

/** The active year: activates the wanted one, or, for none, deactivates the present one. */
const activeYear = throughAsking(academicYears.activate, ({ academic_year_id: present }, { academic_year_id: wanted }) => {
  const id = wanted ?? present
  if (typeof id !== 'string' || !isId(id))
    throw historyFailures.cannotUndo({ issues: [{ path: 'academic_year_id', message: 'must be the id of a year' }] })
  return wanted
    ? writeRequest(academicYears.activate, academicYearHandlers.activate, { id })
    : writeRequest(academicYears.deactivate, academicYearHandlers.deactivate, { id })
})

const member = throughAsking(schools.updateMember, ({ user_id }, { role, is_active }) =>
  writeRequest(
    schools.updateMember,
    schoolHandlers.updateMember,
    { userId: user_id },
    { ...(role !== undefined && { role }), ...(is_active !== undefined && { isActive: is_active }) },
  ),
)

const corrected = throughAsking(attendance.take, ({ student_group_id: classId, student_id: studentId, day, lesson, ...row }, wanted) =>
  writeRequest(
    attendance.take,
    attendanceHandlers.take,
    { classId },
    { day, lesson, marks: [{ studentId, code: wanted['code'] ?? row['code'], ...('note' in wanted && { note: wanted['note'] }) }] },
  ),
)

/** A mark in a register: decided by people who may take the register of the class. */
const attendanceMark: Undoer = {
  ...corrected,
  load: async (context, entry) => {
    const mark = await context.tx.find('attendance_mark', context.caller.school_id, entry.row_id)
    if (mark) await demandInClass(context, 'takeAttendance', mark.student_group_id)
    return corrected.load(context, entry)
  },
}

/** The endpoints with which a decision is written; most are those of undoing (history/undoers.ts). */
export const writers: Partial<Record<string, Undoer>> = {
  ...undoers,
  active_year: activeYear,
  attendance_mark: attendanceMark,
  school_management: member,
  class_teacher: throughRoutes(route(classes.handOver, classHandlers.handOver, { columns: { teacherId: 'user_profile_id' } })),
  grading_scale: throughRoutes(route(gradingScale.put, gradingScaleHandlers.put)),
  school: throughRoutes(route(schools.updateMine, schoolHandlers.updateMine)),
}
