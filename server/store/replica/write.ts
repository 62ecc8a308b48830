import { toInstant } from '@markbook/shared/clock'
import { descriptions, type Replicated, type Row } from '@markbook/shared/tables/tables'
import { type Extra, extraToText } from '@markbook/sync/extra'
import { type Settled, standing as stands } from '@markbook/sync/merge/settle'
import { pick, type RowState, type Values } from '@markbook/sync/merge/state'
import { latestStamp } from '@markbook/sync/stamp'
import { type Stamp, versionsToText } from '@markbook/sync/versions'
import type { SyncRowWrite } from '../dialect.rows.ts'
import { rowsBy } from '../statement.ts'
import type { ReadTx } from '../tx.ts'
import type { AnyRow } from './links.ts'
import { columnsIn, rowsById } from './states.ts'

/** A state, and what stands of it on this node. `settled`: units where something else stands than was claimed. */
export type Standing = { state: RowState; settled: readonly Settled[] }

/** The values that stand. */
export const standing = ({ state, settled }: Standing): Values => stands(state, settled)

/**
 * Returns how to make each row as it is to be written: what stands, what is derived from it, and the time and author of the last change.
 */
export async function rowMaker(
  tx: ReadTx,
  table: Replicated,
  schoolId: string,
  standings: readonly Standing[],
): Promise<(standing: Standing) => AnyRow> {
  const derive = await derivationsOf(tx, table, schoolId, standings)
  const { audit = [], derive: derived } = descriptions[table]
  // A column that an older program did not write has its default.
  const columns = Object.entries(columnsIn(tx, table)).map(([name, column]): [string, unknown] => [name, column.default ?? null])
  const latestOf = onceFor(latestStamp)
  return (each) => {
    const { state } = each
    const values = standing(each)
    const follows: Values = { ...derived?.(values), ...derive?.(values), ...auditOf(audit, latestOf(state.units)) }
    const row: Record<string, unknown> = {}
    for (const [name, byDefault] of columns) {
      const value = name in follows ? follows[name] : values[name]
      row[name] = value === undefined ? byDefault : value
    }
    row['id'] = state.id
    return row as AnyRow
  }
}

const auditOf = (columns: readonly string[], [, , hlc, actor]: Stamp): Values => {
  const audit: Record<string, unknown> = {}
  for (const name of columns) audit[name] = name === 'updated_by' ? actor : instantOf(hlc)
  return audit
}

/** Rows that were written together share their stamps. */
function onceFor<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

let [lastHlc, lastInstant] = [0, toInstant(0)]
/** Rows that came together were mostly written together. */
function instantOf(hlc: number): string {
  if (hlc !== lastHlc) [lastHlc, lastInstant] = [hlc, toInstant(hlc)]
  return lastInstant
}

type Derive = (values: Values) => Values

/** Columns that are derived from another row, or that are this node's alone. */
async function derivationsOf(tx: ReadTx, table: Replicated, schoolId: string, standings: readonly Standing[]): Promise<Derive | undefined> {
  const named = (column: string) => [...new Set(standings.map(({ state }) => state.values[column] as string))]
  if (table === 'grade') {
    const terms = await termsOf(tx, schoolId, named('assessment_id'))
    return ({ assessment_id }) => ({ term_id: terms.get(assessment_id as string) })
  }
  if (table === 'report_book_entry') {
    const books = new Map((await rowsById(tx, 'report_book', schoolId, named('report_book_id'))).map((row) => [row.id, row]))
    return ({ report_book_id, subject_id }) => {
      const book = books.get(report_book_id as string) as Row<'report_book'> | undefined
      return book ? figuresOf(book, subject_id as string) : {}
    }
  }
  if (table === 'user_profile') {
    const schools = new Map(
      (
        await rowsById(
          tx,
          'user_profile',
          schoolId,
          standings.map(({ state }) => state.id),
        )
      ).map((row) => [row.id, row['school_id']]),
    )
    return ({ id }) => ({ school_id: schools.get(id as string) ?? null })
  }
  return undefined
}

const termsOfAssessments = rowsBy('assessment', { school: 'school_id', ids: { in: 'id' } }, { columns: ['id', 'term_id'] })

/** The term of each assessment. */
async function termsOf(tx: ReadTx, schoolId: string, assessments: readonly string[]): Promise<Map<string, string>> {
  const rows = await termsOfAssessments(tx, { school: schoolId, ids: JSON.stringify(assessments) })
  return new Map(rows.map(({ id, term_id }) => [id, term_id]))
}

/** The figures of an entry in its book's snapshot; for a subject that is not in it, none and the last place. */
function figuresOf({ snapshot }: Row<'report_book'>, subjectId: string): Values {
  const own = snapshot.entries.find(({ subject_id }) => subject_id === subjectId)
  if (!own) return { sort_order: snapshot.entries.length }
  const { letter_grade, subject_id: _, ...figures } = own
  return { ...figures, computed_letter: letter_grade }
}

/** What is stored beside the row. `isThere`: the row stands in the table. */
export function syncRowOf(
  table: Replicated,
  { state, settled }: Standing,
  { isThere, source, place }: { isThere: boolean; source: string | null; place?: SyncRowWrite['place'] },
): SyncRowWrite {
  const deleted = state.alive.length === 0
  const isPlain = isThere && settled.length === 0 && state.extra === null
  const extra = isPlain ? null : extraToText({ ...besideOf(table, state, settled, isThere), ...(state.extra && { unknown: state.extra }) })
  return {
    table_name: table,
    row_id: state.id,
    ...versionsToText(state),
    deleted,
    extra,
    source_id: source,
    settled: settled.length > 0 || (deleted && isThere) || (!deleted && !isThere),
    schema: state.schema,
    place,
  }
}

function besideOf(table: Replicated, { values }: RowState, settled: readonly Settled[], isThere: boolean): Extra {
  if (!isThere) return { last: values }
  return { claims: Object.fromEntries(settled.map(({ unit }) => [unit, pick(values, descriptions[table].units[unit] ?? [])])) }
}
