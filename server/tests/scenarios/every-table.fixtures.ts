import { naturalId } from '@markbook/shared/ids'
import { elan, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, irish, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { kindsOf } from '@markbook/shared/tables/kinds'
import { naturalIdOf } from '@markbook/shared/tables/natural'
import { sqliteTables } from '@markbook/shared/tables/sqlite'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { conflictState } from '@markbook/sync/merge/conflict'
import type { RowState, Values } from '@markbook/sync/merge/state'
import { EXISTENCE, type Stamp } from '@markbook/sync/versions'
import { getTableColumns } from 'drizzle-orm'
import { applyStates } from '../../store/replica/apply.ts'
import { linksFrom } from '../../store/replica/links.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { enrolled } from '../../testing/authenticator.ts'
import type { School } from '../../testing/school.ts'

const ofSchool = { school_id: stBrigids }
const file = {
  file_path: 'x',
  file_size: 3,
  sha256: 'a'.repeat(64),
  generated_by: people.byrne.id,
  generated_at: '2026-01-09T15:00:00.000Z',
}

/** Gives the school of the story a row in each table in which it has none. */
export async function fillEveryTable(node: School): Promise<void> {
  await enrolled(node.as.okafor, node.clock)
  await node.as.okafor.outage.newRecoveryCodes()
  await node.services.store.write(asSystem(people.okafor.id), addRows)
  const stamp: Stamp = [node.services.store.nodeId, 1, 5, people.byrne.id]
  const rowId = naturalId('grade', mathsExam.id, zoe.id)
  const lost = { table: 'grade', rowId, unit: 'score', kind: 'value', value: { score: 3 }, stamp, status: 'open', reason: null } as const
  const state = conflictState(stBrigids, 1, lost)
  await node.services.store.write(asSystem(), (tx) => applyStates(tx, stBrigids, [{ table: 'sync_conflict', state }], { source: null }))
}

async function addRows(tx: WriteTx): Promise<void> {
  const bands = [
    { letter: 'A', minimum: 50, remark: 'Passed' },
    { letter: 'F', minimum: 0, remark: 'Failed' },
  ]
  await tx.insert('grading_scale', { ...ofSchool, pass_mark: 50, bands })
  const set = { ...ofSchool, teaching_set_id: tx.newId() }
  const ofYear = { ...ofSchool, academic_year_id: thisYear.id }
  await tx.insert('teaching_set', { ...ofYear, id: set.teaching_set_id, subject_id: irish.id, name: 'Irish 1' })
  await tx.insert('teaching_set_teacher', { ...set, user_profile_id: people.byrne.id })
  await tx.insert('teaching_set_member', { ...set, student_id: elan.id })
  const counting = { weight: 50, drop_lowest: 0, is_extra_credit: false, sort_order: 1 }
  const category = { ...ofYear, ...counting, id: tx.newId(), subject_id: maths.id, assessment_type: 'exam' as const, name: 'Tests' }
  await tx.insert('assessment_category', category)
  const inClass = { ...ofSchool, student_group_id: class3B.id }
  const register = { ...inClass, day: '2026-01-09', lesson: 0 }
  await tx.insert('attendance_register', register)
  await tx.insert('attendance_mark', { ...register, student_id: zoe.id, code: 'absent', note: null })
  await tx.insert('student_subject', { ...inClass, student_id: elan.id, subject_id: irish.id })
  await tx.insert('report_book_pdf', { ...ofSchool, ...file, id: tx.newId(), report_book_id: draftReport.id })
  const report = { term_id: michaelmas.id, report_type: 'term' as const, file_type: 'pdf' as const }
  await tx.insert('class_report_file', { ...inClass, ...file, ...report, id: tx.newId() })
}

/** Other values that a column could have, most of which the interface would take; `named`: the ids that its foreign key may name. */
function otherValues(table: Replicated, column: string, value: unknown, named: readonly string[], who: string): unknown[] {
  const choices = getTableColumns(sqliteTables[table])[column as 'id']?.enumValues as readonly string[] | undefined
  const ofKind: Record<string, readonly unknown[]> = {
    uuid: [...named, who],
    choice: choices ?? [],
    text: ['Forged', 'forged@school.example', null],
    flag: [true, false],
    int: [0, 1, 7],
    bigint: [1],
    decimal: [0, 7, 50],
    day: ['2025-10-01', '2026-01-05'],
    instant: ['2020-01-01T00:00:00.000Z', null],
    json: [null, []],
  }
  return (ofKind[kindsOf[table][column] ?? ''] ?? []).filter((each) => each !== value)
}

/** Ids of rows, by table, that a lie may name. */
type Named = (table: Replicated) => readonly string[]
export type Lie = { name: string; state: RowState }
type Liar = { stamp: Stamp; school: string; named: Named }

const NEW = '01900000-0000-7000-8000-00000000abcd'

/**
 * What an altered laptop may say of a row as the newest write of its person: each column otherwise, in its unit or in the identity; the
 * identity left out; the row deleted, with and without a write, and as if nobody else had written it; and another row made of it. `school`:
 * a school to which it may say that the row belongs.
 */
export function liesAbout(table: Replicated, state: RowState, { stamp, school, named }: Liar): Lie[] {
  const { units, identity } = descriptions[table]
  const [node, counter, , who] = stamp
  const told = { ...state, vv: { ...state.vv, [node]: counter }, alive: [[node, counter]] as const }
  const otherwise = (column: string): unknown[] => {
    const key = linksFrom(table).find(({ columns }) => columns.includes(column))
    return column === 'school_id' ? [school] : otherValues(table, column, state.values[column], key ? named(key.parent) : [], who ?? '')
  }
  const says = (unit: string, values: Values, more: Partial<RowState> = {}): RowState => ({
    ...told,
    units: { ...state.units, [unit]: stamp },
    values: { ...state.values, ...values },
    ...more,
  })
  const ofUnits = Object.entries(units).flatMap(([unit, columns]) => columns.map((column) => ({ unit, column })))
  const fixed = identity.filter((column) => column !== 'id').map((column) => ({ unit: EXISTENCE, column }))
  const changed = [...ofUnits, ...fixed].flatMap(({ unit, column }): Lie[] =>
    otherwise(column).map((value) => ({ name: `${unit} ${column} ${JSON.stringify(value)}`, state: says(unit, { [column]: value }) })),
  )
  const every = Object.fromEntries([EXISTENCE, ...Object.keys(units)].map((unit) => [unit, stamp]))
  const made = fixed.flatMap(({ column }): Lie[] =>
    otherwise(column).flatMap((value) => {
      const values: Values = { ...state.values, ...('created_by' in state.values && { created_by: who }), [column]: value }
      const id = naturalIdOf(table, values) ?? NEW
      const row = says(EXISTENCE, { ...values, id }, { id, units: every, vv: { [node]: counter } })
      return id === state.id ? [] : [{ name: `another with ${column} ${JSON.stringify(value)}`, state: row }]
    }),
  )
  const { id, school_id } = state.values
  return [
    ...changed,
    ...made,
    { name: 'no identity', state: says(EXISTENCE, {}, { values: { id, ...(school_id !== undefined && { school_id }) } }) },
    { name: 'deleted', state: says(EXISTENCE, {}, { alive: [] }) },
    { name: 'deleted by no write', state: { ...told, alive: [] } },
    { name: 'deleted, and made by nobody else', state: says(EXISTENCE, {}, { alive: [], units: every, vv: { [node]: counter } }) },
  ]
}
