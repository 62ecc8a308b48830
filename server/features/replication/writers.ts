import { academicYears } from '@markbook/shared/contract/academic-years'
import { attendance } from '@markbook/shared/contract/attendance'
import { classes } from '@markbook/shared/contract/classes'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { gradingScale } from '@markbook/shared/contract/grading-scale'
import { historyFailures } from '@markbook/shared/contract/history'
import { schools } from '@markbook/shared/contract/schools'
import { common, Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import { demandFreshProof } from '../../http/fresh-proof.ts'
import type { Handler } from '../../http/handler.ts'
import { issuesOf } from '../../http/requests.ts'
import { asSystem } from '../../store/tx.ts'
import { academicYearHandlers } from '../academic-years/academic-years.handlers.ts'
import { attendanceHandlers } from '../attendance/attendance.handlers.ts'
import { classHandlers } from '../classes/classes.handlers.ts'
import { gradingScaleHandlers } from '../grading-scale/grading-scale.handlers.ts'
import { demandUnchanged, type EntryOf, route, throughRoutes, type UndoContext, type Undoer } from '../history/undo.ts'
import { undoers } from '../history/undoers.ts'
import { demandInClass } from '../policy.ts'
import { schoolHandlers } from '../schools/schools.handlers.ts'

type Values = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: `run` gets the result of the same handler's `load`.
type AnyHandler = Handler<any, any, any, any>
/** A call of an endpoint that does not take the row's id as its path parameter. */
export type WriteRequest = { endpoint: Endpoint; handler: AnyHandler; params: Values; body?: Values }

const valuesIn = ({ changes }: EntryOf): Values =>
  Object.fromEntries(Object.entries(changes).map(([column, { before }]) => [column, before]))

/** Writes through the endpoint that `ask` returns, with its guard, access and checks. */
const throughAsking = (guarding: Endpoint, ask: (row: Values, wanted: Values) => WriteRequest): Undoer<unknown> => {
  const askedOf = async (context: UndoContext, entry: EntryOf): Promise<WriteRequest> => {
    const row = (await context.tx.find(entry.entity, context.caller.school_id, entry.row_id)) as Values | undefined
    if (!row) throw historyFailures.changedSince()
    return ask(row, valuesIn(entry))
  }
  return {
    load: async (context, entry) => {
      demandGuard(context, guarding)
      // Without a value, only the right to decide is checked.
      if (entry.action !== 'update' || Object.keys(entry.changes).length === 0) return undefined
      return loadRequest(context, await askedOf(context, entry)).catch(toUndoingFailure)
    },
    write: async (context, entry, loaded) => {
      await demandUnchanged(context, entry)
      await runRequest(context, await askedOf(context, entry), loaded)
    },
  }
}

function demandGuard({ caller }: UndoContext, { guard }: Endpoint): void {
  if (guard === 'admin' && caller.role !== 'admin') throw common.adminOnly()
}

/** Decides access as the endpoint does, by its guard and the ids that the request names. */
export async function loadRequest(context: UndoContext, { endpoint, handler, params, body = {} }: WriteRequest): Promise<unknown> {
  demandGuard(context, endpoint)
  const targets = Object.fromEntries(endpoint.targets.flatMap((field) => (field in body ? [[field, body[field]]] : [])))
  // Some endpoints need more than row-level security shows the person.
  if (handler.as === 'system') await context.tx.actAs(asSystem(context.caller.user_id))
  return handler.load(context as never, { params, targets } as never)
}

/** Checks the body and the state as the endpoint does, and writes. `loaded`: by `loadRequest`. */
export async function runRequest(context: UndoContext, { endpoint, handler, params, body }: WriteRequest, loaded: unknown): Promise<void> {
  const parsed = endpoint.body && endpoint.body !== 'multipart' ? endpoint.body.safeParse(body) : null
  if (parsed?.error) throw historyFailures.cannotUndo({ issues: issuesOf(parsed.error) })
  demandFreshProof(endpoint, context.caller, context.tx.nowMs)
  await handler.run(context as never, { params, query: {}, body: parsed?.data, upload: undefined, prepared: undefined } as never, loaded)
}

/** Turns the failure into the refusal that a row named by the wanted value does not exist any more. */
export const toUndoingFailure = (error: unknown): never => {
  throw error instanceof Failure && error.status === 404 ? historyFailures.cannotUndo() : error
}

export const asked = (endpoint: Endpoint, handler: unknown, params: Values, body?: Values): WriteRequest => ({
  endpoint,
  handler: handler as AnyHandler,
  params,
  ...(body && { body }),
})

/** The active year: activates the wanted one, or, for none, deactivates the present one. */
const activeYear = throughAsking(academicYears.activate, ({ academic_year_id: present }, { academic_year_id: wanted }) => {
  const id = wanted ?? present
  if (typeof id !== 'string' || !isId(id))
    throw historyFailures.cannotUndo({ issues: [{ path: 'academic_year_id', message: 'must be the id of a year' }] })
  return wanted
    ? asked(academicYears.activate, academicYearHandlers.activate, { id })
    : asked(academicYears.deactivate, academicYearHandlers.deactivate, { id })
})

const member = throughAsking(schools.updateMember, ({ user_id }, { role, is_active }) =>
  asked(
    schools.updateMember,
    schoolHandlers.updateMember,
    { userId: user_id },
    { ...(role !== undefined && { role }), ...(is_active !== undefined && { isActive: is_active }) },
  ),
)

const corrected = throughAsking(attendance.take, ({ student_group_id: classId, student_id: studentId, day, lesson, ...row }, wanted) =>
  asked(
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
