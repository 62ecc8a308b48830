import { academicYears } from '@markbook/shared/contract/academic-years'
import { assessmentCategories } from '@markbook/shared/contract/assessment-categories'
import { assessments } from '@markbook/shared/contract/assessments'
import { classes } from '@markbook/shared/contract/classes'
import { type replication, replicationFailures } from '@markbook/shared/contract/replication'
import { schools } from '@markbook/shared/contract/schools'
import { students } from '@markbook/shared/contract/students'
import { subjects } from '@markbook/shared/contract/subjects'
import { teachingSets } from '@markbook/shared/contract/teaching-sets'
import { terms } from '@markbook/shared/contract/terms'
import { markAfter } from '@markbook/shared/domain/mark-codes'
import { common, Failure } from '@markbook/shared/failures'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { isSame } from '@markbook/sync/merge/state'
import { travelling } from '@markbook/sync/protocol/page'
import type { HandlerContext } from '../../http/handler.ts'
import { academicYearHandlers } from '../academic-years/academic-years.handlers.ts'
import { assessmentCategoryHandlers } from '../assessment-categories/assessment-categories.handlers.ts'
import { assessmentHandlers } from '../assessments/assessments.handlers.ts'
import { classHandlers } from '../classes/classes.handlers.ts'
import type { EntryOf, Undoer } from '../history/undo.ts'
import { undoers } from '../history/undoers.ts'
import { loadRequest, runRequest, type WriteRequest, writeRequest } from '../history/write-request.ts'
import { markCodesOf } from '../schools/mark-codes.policy.ts'
import { schoolHandlers } from '../schools/schools.handlers.ts'
import { studentHandlers } from '../students/students.handlers.ts'
import { subjectHandlers } from '../subjects/subjects.handlers.ts'
import { teachingSetHandlers } from '../teaching-sets/teaching-sets.handlers.ts'
import { termHandlers } from '../terms/terms.handlers.ts'
import { keptOf, lastOfUnits, type Overruled, type OverruledGroup } from './conflict-groups.ts'
import { demandParents, isMade, makeAgain } from './makers.ts'
import { writers } from './writers.ts'

type Values = Readonly<Record<string, unknown>>
export type DecidingContext = HandlerContext<typeof replication.resolve>
export type Decision = { choice: 'current' | 'kept' | 'typed'; value?: Values | undefined }

/** The endpoint with which a person deletes such a row. */
const removers: Partial<Record<string, (row: Values) => WriteRequest>> = {
  academic_year: ({ id }) => writeRequest(academicYears.remove, academicYearHandlers.remove, { id }),
  assessment: ({ id }) => writeRequest(assessments.remove, assessmentHandlers.remove, { id }),
  assessment_category: ({ id }) => writeRequest(assessmentCategories.remove, assessmentCategoryHandlers.remove, { id }),
  teaching_set: ({ id }) => writeRequest(teachingSets.remove, teachingSetHandlers.remove, { id }),
  subject: ({ id }) => writeRequest(subjects.remove, subjectHandlers.remove, { id }),
  term: ({ id }) => writeRequest(terms.remove, termHandlers.remove, { id }),
  student: ({ id }) => writeRequest(students.remove, studentHandlers.remove, { id }),
  student_group: ({ id: classId }) => writeRequest(classes.remove, classHandlers.remove, { classId }),
  enrolment: ({ student_group_id: id, student_id: studentId }) => writeRequest(classes.unenroll, classHandlers.unenroll, { id, studentId }),
  student_subject: ({ student_group_id: id, student_id: sid, subject_id: subjectId }) =>
    writeRequest(classes.removeStudentSubject, classHandlers.removeStudentSubject, { id, sid, subjectId }),
  teacher_group_assignment: ({ student_group_id: classId, user_profile_id: teacherId }) =>
    writeRequest(classes.removeTeacher, classHandlers.removeTeacher, { classId, teacherId }),
  school_management: ({ user_id: userId }) => writeRequest(schools.removeMember, schoolHandlers.removeMember, { userId }),
}

const isDeletion = ({ value }: Overruled) => value === null
/** Whether the write created or deleted the row, rather than changing a part of it. */
const isOfExistence = ({ entity, unit }: Overruled) => !(unit in (descriptions[entity as Replicated]?.units ?? {}))

/** A history entry in the form that undoing takes: `before` holds the values to write. */
const entryFor = ({ id, school_id, entity, row_id }: Overruled, action: EntryOf['action'], changes: EntryOf['changes']): EntryOf => ({
  id,
  school_id,
  seq: 0,
  node_seq: 0,
  at: '',
  actor_id: null,
  node_id: '',
  entity: entity as EntryOf['entity'],
  row_id,
  near_id: row_id,
  action,
  changes,
  detail: null,
  head: '',
  proof: null,
  source_id: null,
})

export const presentRow = ({ tx, caller }: DecidingContext, { entity, row_id }: Overruled): Promise<Values | undefined> =>
  Object.hasOwn(descriptions, entity)
    ? (tx.find(entity as Replicated, caller.school_id, row_id) as Promise<Values | undefined>)
    : Promise.resolve(undefined)

/**
 * Throws 403 where the caller may not write the row of the conflict. For an absent row, or one that no route writes, administrators
 * decide.
 */
export async function demandMayDecide(context: DecidingContext, conflict: Overruled): Promise<void> {
  const row = await presentRow(context, conflict)
  const writer = writers[conflict.entity]
  const remover = removers[conflict.entity]
  if (row && isDeletion(conflict) && remover) await loadRequest(context, remover(row))
  else if (row && writer) await writer.load(context as never, entryFor(conflict, 'update', {}))
  else if (context.caller.role !== 'admin') throw common.adminOnly()
}

export async function mayDecide(context: DecidingContext, conflict: Overruled): Promise<boolean> {
  try {
    await demandMayDecide(context, conflict)
    return true
  } catch (error) {
    if (error instanceof Failure && (error.status === 403 || error.status === 404 || error.status === 409)) return false
    throw error
  }
}

/**
 * Whether something of a write that does not stand can be written as the row is here: what it says differs, and there is an endpoint for
 * it. `row`: undefined where there is none.
 */
export function canBeWritten(group: OverruledGroup, row: Values | undefined): boolean {
  const [{ entity }] = group
  const kept = keptOf(group)
  if (kept === null) return row !== undefined && (entity === 'grade' || Object.hasOwn(removers, entity))
  const parts = partsOf(group)
  if (row) return Object.hasOwn(writers, entity) && parts.flatMap(columnsOf).some((column) => isOther(kept, row, column))
  const made = lastOfUnits(group).find(isOfExistence)
  return made?.value?.['id'] !== undefined && (entity === 'grade' || isMade(entity))
}

const isOther = (wanted: Values, row: Values, column: string) => column in wanted && !isSame(wanted[column], row[column] ?? null)

/** Writes a person's decision as they would write it. The present value needs no write, unless nobody could have entered it. */
export async function carryOut(context: DecidingContext, group: OverruledGroup, { choice, value }: Decision): Promise<void> {
  if (choice === 'current') return withoutContradiction(context, group).catch(toResolvingFailure)
  const wanted = choice === 'kept' ? keptOf(group) : typed(group, value)
  const write = wanted === null ? removeAgain(context, group[0]) : writeAgain(context, group, wanted)
  await write.catch(choice === 'typed' ? toTypedFailure : toResolvingFailure)
}

/**
 * A merge may combine one person's score with another's code that excludes a score. A decision for the present value keeps the part in
 * question; the other is cleared, as if the person entered that part.
 */
async function withoutContradiction(context: DecidingContext, group: OverruledGroup): Promise<void> {
  const [conflict] = group
  const units = new Set(
    partsOf(group)
      .filter(isOfMark)
      .map(({ unit }) => unit),
  )
  const row = units.size > 0 ? ((await presentRow(context, conflict)) as Row<'grade'> | undefined) : undefined
  if (!row || row.score === null || row.status === null) return
  const { score, status } = row
  if (markAfter(null, { score, status }, await markCodesOf(context.tx, context.caller.school_id)) !== 'code_or_score') return
  const stays = units.has('score') ? { score } : { status }
  await writeOne(context, writers['grade'] as Undoer, entryFor(conflict, 'update', changesTo(stays, row)))
}

/** The typed values of one or several units, whole; the endpoints check them further. Other columns stay. */
function typed(group: OverruledGroup, value: Values | undefined): Values {
  const units = partsOf(group).map(columnsOf)
  if (units.length === 0) throw replicationFailures.cannotResolve({ message: 'Another value can only be given for one part of a row.' })
  const names = Object.keys(value ?? {})
  const named = units.filter((columns) => columns.some((name) => names.includes(name)))
  const isWhole = named.length > 0 && named.flat().every((name) => names.includes(name))
  if (!value || !isWhole || names.some((name) => !named.flat().includes(name)))
    throw common.validationFailed({ issues: [{ path: 'value', message: mustHave(units) }] })
  return value
}

const mustHave = (units: readonly (readonly string[])[]) =>
  units.length === 1
    ? `must have exactly ${units[0]?.join(', ')}`
    : `must have all of one of these: ${units.map((each) => each.join(', ')).join('; ')}`

const columnsOf = ({ entity, unit }: Overruled): readonly string[] => descriptions[entity as Replicated]?.units[unit] ?? []
/** The records of writes to a part of an existing row, not of its creation. */
const partsOf = (group: OverruledGroup): Overruled[] => lastOfUnits(group).filter((each) => !isOfExistence(each))

async function removeAgain(context: DecidingContext, conflict: Overruled): Promise<void> {
  const row = await presentRow(context, conflict)
  if (!row) return
  if (conflict.entity === 'grade') {
    const made = entryFor(
      conflict,
      'create',
      Object.fromEntries(Object.entries(row).map(([name, after]) => [name, { before: null, after }])),
    )
    const undoer = undoers.grade as Undoer
    await undoer.write(context as never, made, await undoer.load(context as never, made))
    return
  }
  const remover = removers[conflict.entity]
  if (!remover) throw replicationFailures.cannotResolve()
  await runRequest(context, remover(row), await loadRequest(context, remover(row)))
}

/**
 * Writes the wanted values. An absent row is made first; in an existing one each differing part is written separately, since it may have
 * its own endpoint. A score and a code are one entry.
 */
async function writeAgain(context: DecidingContext, group: OverruledGroup, wanted: Values): Promise<void> {
  const [conflict] = group
  const { entity, row_id } = conflict
  const row = await presentRow(context, conflict)
  const made = lastOfUnits(group).find(isOfExistence)
  if (row) return writeParts(context, partsOf(group), wanted, { row, isMade: made !== undefined })
  if (!made) throw replicationFailures.cannotResolve()
  // A newer program may have written columns that this one does not know.
  const values = { ...named({ ...made.value, ...keptOf(group), ...wanted }, travelling(entity as Replicated)), id: row_id }
  if (entity === 'grade') {
    await demandParents(context, entity, values)
    return writeOne(context, writers[entity] as Undoer, entryFor(conflict, 'delete', changesTo(values, {})))
  }
  const units = await makeAgain(context, entity, values)
  const rest = partsOf(group).filter(({ unit }) => units.includes(unit))
  const stands = await presentRow(context, conflict)
  if (stands && rest.length > 0) await writeParts(context, rest, values, { row: stands, isMade: true })
}

/** `isMade`: that the row exists is part of what is wanted, so nothing need differ. */
async function writeParts(
  context: DecidingContext,
  parts: readonly Overruled[],
  wanted: Values,
  { row, isMade }: { row: Values; isMade: boolean },
): Promise<void> {
  const [first] = parts
  const isAsWanted = (column: string) => SET_AT_CREATION.includes(column) || isSame(wanted[column], row[column] ?? null)
  if (isMade && parts.flatMap(columnsOf).every(isAsWanted)) return
  const writer = first && writers[first.entity]
  if (!writer) throw replicationFailures.cannotResolve()
  const entered = parts.filter(isOfMark)
  const steps = [...(entered.length > 0 ? [entered] : []), ...parts.filter((part) => !isOfMark(part)).map((part) => [part])]
  for (const step of steps) {
    const own = named(wanted, step.flatMap(columnsOf))
    const isOther = Object.entries(own).some(([name, value]) => !isSame(value, row[name] ?? null))
    if (isOther || (steps.length === 1 && !isMade)) await writeOne(context, writer, entryFor(first, 'update', changesTo(own, row)))
  }
}

/** Columns that are set when a row is created: they are no difference to decide. */
const SET_AT_CREATION: readonly string[] = ['enrolled_at']

const isOfMark = ({ entity, unit }: Overruled): boolean => entity === 'grade' && (unit === 'score' || unit === 'status')

/** The values of these columns, where present. */
export const named = (values: Values, columns: readonly string[]): Values =>
  Object.fromEntries(columns.flatMap((name) => (name in values ? [[name, values[name]]] : [])))

const changesTo = (wanted: Values, row: Values): EntryOf['changes'] =>
  Object.fromEntries(Object.entries(wanted).map(([name, before]) => [name, { before, after: row[name] ?? null }]))

async function writeOne(context: DecidingContext, writer: Undoer, entry: EntryOf): Promise<void> {
  await writer.write(context as never, entry, await writer.load(context as never, entry))
}

/** Turns a failure of the endpoint into one about the typed value, with the paths of the request. */
const toTypedFailure = (error: unknown): never => {
  const isUnfit = error instanceof Failure && (error.status === 400 || error.code === 'history.cannot_undo')
  if (!isUnfit || !error.issues) return toResolvingFailure(error)
  const issues = error.issues.map((issue) => ({ ...issue, path: `value.${issue.path}` }))
  throw common.validationFailed({ ...(error.status === 400 && { message: error.message }), issues })
}

const PASSED_ON_FAILURES: readonly string[] = ['reports.locked', 'validation_failed', 'sync.belongs_to_nothing']
/** Turns a failure of the endpoint into a refusal of this one, with the failed rule as its reason. */
const toResolvingFailure = (error: unknown): never => {
  if (!(error instanceof Failure) || PASSED_ON_FAILURES.includes(error.code)) throw error
  if (error.status !== 400 && error.status !== 409) throw error
  const { message, issues } = error
  throw replicationFailures.cannotResolve({ ...(error.code === 'history.cannot_undo' ? {} : { message, ...(issues && { issues }) }) })
}
