import { termInEnglish } from '@markbook/shared/domain/term-names'
import type { Replicated } from '@markbook/shared/tables/tables'
import { peopleAwaited } from '../../replication/scope/consent.ts'
import { idsByTable, keyOf, type RowName } from '../../store/replica/links.ts'
import { rowsById } from '../../store/replica/states.ts'
import type { ReadTx } from '../../store/tx.ts'
import { formerRows } from './former.ts'

type Stored = Readonly<Record<string, unknown>>
export type Named = { entity: string; row_id: string }
/** The row by the names that the store uses. */
export const rowNameOf = ({ entity, row_id }: Named): RowName => ({ table: entity, id: row_id })

/** Columns with another row's id, in the order of a spoken name: person, subject, place, time. */
const LINKS: Readonly<Record<string, Replicated>> = {
  report_book_id: 'report_book',
  student_id: 'student',
  user_profile_id: 'user_profile',
  user_id: 'user_profile',
  assessment_id: 'assessment',
  subject_id: 'subject',
  student_group_id: 'student_group',
  teaching_set_id: 'teaching_set',
  category_id: 'assessment_category',
  term_id: 'term',
  academic_year_id: 'academic_year',
}
/** Kinds whose own name is not enough: an assessment belongs to a subject, a book to a person. */
const FURTHER: readonly string[] = ['assessment', 'report_book']

/**
 * The names of rows for people: «Kelly Aoife · Test 1 · Mathematics» for a mark. Follows references, two steps at most, with one query for
 * each table and step. A deleted row has its last name, as far as this node knows it; else it has none, but for what `told` says of it.
 */
export async function namesOf(
  tx: ReadTx,
  school: string,
  asked: readonly Named[],
  told: (each: Named) => Stored | undefined = () => undefined,
): Promise<(each: Named) => string> {
  const found = new Map<string, Stored>()
  const foundOf = (each: Named) => found.get(keyOf(rowNameOf(each)))
  const load = async (wanted: readonly Named[]) => {
    for (const [table, ids] of idsByTable(wanted.map(rowNameOf))) {
      const awaited = table === 'user_profile' ? await peopleAwaited(tx, school, ids) : new Set()
      const missing = ids.filter((id) => !found.has(keyOf({ table, id })) && !awaited.has(id))
      for (const row of await rowsById(tx, table, school, missing)) found.set(keyOf({ table, id: row.id }), row)
      const gone = missing.filter((id) => !found.has(keyOf({ table, id })))
      for (const [id, row] of await formerRows(tx, school, table, gone)) found.set(keyOf({ table, id }), row)
    }
  }
  await load(asked)
  for (const each of asked) {
    const row = foundOf(each) ? undefined : told(each)
    if (row) found.set(keyOf(rowNameOf(each)), row)
  }
  const first = asked.flatMap((each) => linksOf(foundOf(each)))
  await load(first)
  const further = first.filter(({ entity }) => FURTHER.includes(entity))
  await load(further.flatMap((each) => linksOf(foundOf(each))))
  const said = (each: Named, steps: number): string[] => {
    const row = foundOf(each)
    if (!row) return []
    const links = steps > 0 ? linksOf(row) : []
    return [ownWords(row), ...links.flatMap((link) => said(link, FURTHER.includes(link.entity) ? steps - 1 : 0))].filter(Boolean)
  }
  return (each) => [...new Set(said(each, 2))].join(' · ')
}

/** The names of the rows whose ids are in these values; null for a column without an id, and for an unknown row. */
export async function namesInValues(tx: ReadTx, school: string, values: readonly (Stored | null)[]) {
  const nameOf = await namesOf(
    tx,
    school,
    values.flatMap((each) => linksOf(each ?? undefined)),
  )
  return (column: string, id: string): string | null => {
    const entity = LINKS[column]
    return (entity && nameOf({ entity, row_id: id })) || null
  }
}

const linksOf = (row: Stored | undefined): Named[] =>
  row
    ? Object.entries(LINKS).flatMap(([column, entity]) =>
        typeof row[column] === 'string' && row['id'] !== row[column] ? [{ entity, row_id: row[column] }] : [],
      )
    : []

/** A known term's name is stored in lower case. */
const ownWords = (row: Stored): string => {
  const words = ['title', 'name', 'last_name', 'first_name'].flatMap((column) => (typeof row[column] === 'string' ? [row[column]] : []))
  return words.map(termInEnglish).join(' ')
}
