import { toInstant } from '@markbook/shared/clock'
import { BinEntity, type BinItem, type BinOwner } from '@markbook/shared/contract/bin'
import { limits } from '@markbook/shared/limits'
import type { Changes } from '@markbook/shared/tables/changes'
import type { RowState } from '@markbook/sync/merge/state'
import { EXISTENCE } from '@markbook/sync/versions'
import { knownRows, rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { deletedRowsSince, deletionsSince, fileDeletionsSince } from './bin.queries.ts'

type Deletion = Awaited<ReturnType<typeof deletionsSince>>[number]
export type InBin = Deletion & { entity: BinEntity }

/** For each kind, the kinds whose deletion deletes it too: such a row is restored only with them. */
const TAKEN_WITH: Readonly<Partial<Record<BinEntity, readonly string[]>>> = {
  assessment: ['student_group', 'teaching_set'],
  student_group: ['academic_year'],
  teaching_set: ['academic_year', 'subject'],
  term: ['academic_year'],
}

export const transactionOf = ({ node_id, node_seq }: Pick<Deletion, 'node_id' | 'node_seq'>): string => `${node_id} ${node_seq}`

/** Deletions since this instant can be undone. */
const sinceWhen = ({ nowMs }: ReadTx): string => toInstant(nowMs - limits.binRetentionMs)
export const restorableUntil = ({ at }: Pick<Deletion, 'at'>): string => toInstant(Date.parse(at) + limits.binRetentionMs)

/** Whether an entry states a deletion; an entry that was stamped anew repeats another. */
export const isDeletion = ({ changes }: { changes: Changes }): boolean => 'id' in changes

/**
 * What can be restored in a school, newest first: for each absent row the deletion that stands, unless it was deleted with another row
 * (docs/design/school.md).
 */
export async function binOf(tx: ReadTx, school: string): Promise<InBin[]> {
  const all = (await deletionsSince(tx, { school, since: sinceWhen(tx) })).filter(isDeletion)
  const kinds = new Set(all.map((entry) => `${transactionOf(entry)} ${entry.entity}`))
  const isOwn = (entry: InBin) => !TAKEN_WITH[entry.entity]?.some((kind) => kinds.has(`${transactionOf(entry)} ${kind}`))
  const listed: InBin[] = []
  for (const entity of BinEntity.options) {
    const told = new Map<string, InBin[]>()
    for (const entry of all) {
      if (entry.entity !== entity) continue
      told.set(entry.row_id, [...(told.get(entry.row_id) ?? []), { ...entry, entity }])
    }
    for (const [id, { row, state }] of await knownRows(tx, entity, school, [...told.keys()]))
      if (row === null) listed.push(standingOf(told.get(id) as [InBin, ...InBin[]], state))
  }
  const places = new Map(all.map(({ id }, at) => [id, at]))
  return listed.filter(isOwn).sort((a, b) => (places.get(a.id) as number) - (places.get(b.id) as number))
}

/**
 * The deletion by which a row is gone; where that was stamped anew, the last one. A laptop may tell of others, by which the row would come
 * back without what went with it.
 */
function standingOf(told: readonly [InBin, ...InBin[]], { units }: RowState): InBin {
  const [node, counter] = units[EXISTENCE] ?? []
  return told.find(({ node_id, node_seq }) => node_id === node && node_seq === counter) ?? told[0]
}

type Figures = Pick<BinItem, 'marks' | 'assessments' | 'enrolments' | 'assignments' | 'report_books' | 'set_places' | 'set_teachers'>
const COUNTED: Readonly<Record<string, keyof Figures>> = {
  grade: 'marks',
  assessment: 'assessments',
  enrolment: 'enrolments',
  teacher_subject_assignment: 'assignments',
  report_book: 'report_books',
  teaching_set_member: 'set_places',
  teaching_set_teacher: 'set_teachers',
}

/** The numbers of deleted rows, by transaction. */
export async function figuresOf(tx: ReadTx, school: string): Promise<Map<string, Figures>> {
  const figures = new Map<string, Figures>()
  for (const each of await deletedRowsSince(tx, { school, since: sinceWhen(tx) })) {
    const figure = COUNTED[each.entity]
    if (!figure) continue
    const own = figures.get(transactionOf(each)) ?? noFigures
    figures.set(transactionOf(each), { ...own, [figure]: own[figure] + each.rows })
  }
  return figures
}
export const noFigures: Figures = {
  marks: 0,
  assessments: 0,
  enrolments: 0,
  assignments: 0,
  report_books: 0,
  set_places: 0,
  set_teachers: 0,
}

/** The name of a deleted row. */
export function nameIn(changes: Changes): string {
  const said = (column: string) => changes[column]?.before
  return String(said('title') ?? said('name') ?? [said('first_name'), said('last_name')].filter(Boolean).join(' '))
}

/** Where a row names each kind of row to which it belongs. */
const OWNER_COLUMNS: Readonly<Record<BinOwner, string>> = {
  subject: 'subject_id',
  student_group: 'student_group_id',
  teaching_set: 'teaching_set_id',
  term: 'term_id',
  academic_year: 'academic_year_id',
}
const owners = Object.entries(OWNER_COLUMNS) as [BinOwner, string][]

/** Returns a function for the rows to which a deleted row belonged. */
export async function ownersOf(tx: ReadTx, school: string, items: readonly InBin[]) {
  const idIn = ({ changes }: InBin, column: string) => (changes[column]?.before ?? null) as string | null
  const names = new Map<string, unknown>()
  for (const [entity, column] of owners) {
    const ids = new Set(items.flatMap((item) => idIn(item, column) ?? []))
    const rows = await rowsById(tx, entity, school, [...ids])
    for (const row of rows) names.set(row.id, row['name'])
    const absent = [...ids].filter((id) => !names.has(id))
    for (const [id, { state }] of await knownRows(tx, entity, school, absent)) names.set(id, state.values['name'])
  }
  return (item: InBin): BinItem['belongs_to'] =>
    owners.flatMap(([entity, column]) => {
      const id = idIn(item, column)
      const name = id && names.get(id)
      return id && typeof name === 'string' ? [{ entity, id, name }] : []
    })
}

/** Paths of the stored files that are restored with a class. */
export async function filesInBin(tx: ReadTx): Promise<Set<string>> {
  const schools = await tx.db.select({ id: tx.t.school.id }).from(tx.t.school)
  const paths = new Set<string>()
  for (const { id: school } of schools)
    for (const { changes } of await fileDeletionsSince(tx, { school, since: sinceWhen(tx) }))
      paths.add(String(changes['file_path']?.before))
  return paths
}
