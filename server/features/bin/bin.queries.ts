import { BinEntity } from '@markbook/shared/contract/bin'
import { isSameTermName } from '@markbook/shared/domain/term-names'
import type { Tables } from '@markbook/shared/tables/tables'
import { and, count, desc, eq, getTableColumns, gte, inArray, sql } from 'drizzle-orm'
import { pick } from '../../store/conditions.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** A deleted year is not in the bin, nor are the rows deleted with it. */
const LISTED = [...BinEntity.options, 'academic_year']

/** Repeats the condition of the index `history_of_deletions`: with a parameter instead, a database would not use the index. */
const isDeletion = (history: Tables['history']) => sql`${history.action} = 'delete'`

/** The deletions in a school since an instant, newest first, with the names of their actors. */
export const deletionsSince = statement<{ school: string; since: string }>()(({ db, t, p }) => {
  const { history, user_profile } = t
  return db
    .select({ ...getTableColumns(history), ...pick(user_profile, 'first_name', 'last_name') })
    .from(history)
    .leftJoin(user_profile, eq(user_profile.id, history.actor_id))
    .where(and(isDeletion(history), eq(history.school_id, p.school), gte(history.at, p.since), inArray(history.entity, LISTED)))
    .orderBy(desc(history.at), desc(history.seq), desc(history.id))
})

/** The number of deleted rows of each kind, by transaction, since an instant. */
export const deletedRowsSince = statement<{ school: string; since: string }>()(({ db, t: { history }, p }) =>
  db
    .select({ ...pick(history, 'node_id', 'node_seq', 'entity'), rows: count() })
    .from(history)
    .where(and(isDeletion(history), eq(history.school_id, p.school), gte(history.at, p.since)))
    .groupBy(history.node_id, history.node_seq, history.entity),
)

/** The deletions of one transaction, which has one time for all its entries. */
export const deletionsAt = statement<{ school: string; at: string }>()(({ db, t: { history }, p }) =>
  db
    .select()
    .from(history)
    .where(and(isDeletion(history), eq(history.school_id, p.school), eq(history.at, p.at))),
)

/** The stored files whose rows were deleted since an instant. */
export const fileDeletionsSince = statement<{ school: string; since: string }>()(({ db, t: { history }, p }) =>
  db
    .select({ changes: history.changes })
    .from(history)
    .where(
      and(
        isDeletion(history),
        eq(history.school_id, p.school),
        gte(history.at, p.since),
        inArray(history.entity, ['report_book_pdf', 'class_report_file']),
      ),
    ),
)

export const deletionById = rowsBy('history', { school: 'school_id', id: 'id' }, { where: { action: 'delete' } })

export const studentsByIds = rowsBy('student', { school: 'school_id', ids: { in: 'id' } })
export const classesByIds = rowsBy('student_group', { school: 'school_id', ids: { in: 'id' } })
export const membersAmong = rowsBy('school_management', { school: 'school_id', ids: { in: 'user_id' } }, { columns: ['user_id'] })

type Held = { school: string; name: string; year: string; subject: string }
const codeHolders = rowsBy('subject', { school: 'school_id', name: 'code' })
const numberHolders = rowsBy('student', { school: 'school_id', name: 'student_number' })
const classesNamed = rowsBy('student_group', { school: 'school_id', name: 'name', year: 'academic_year_id' })
const setsNamed = rowsBy('teaching_set', { school: 'school_id', name: 'name', year: 'academic_year_id', subject: 'subject_id' })
const termsOfYear = rowsBy('term', { school: 'school_id', year: 'academic_year_id' })

/** Finds the row that has a code, number or name that must be unique in the school, the year, or a subject of it. */
export const holdersOf: Readonly<Record<Exclude<BinEntity, 'assessment'>, (tx: ReadTx, held: Held) => Promise<readonly { id: string }[]>>> =
  {
    subject: (tx, { school, name }) => codeHolders(tx, { school, name }),
    student: (tx, { school, name }) => numberHolders(tx, { school, name }),
    student_group: (tx, { school, name, year }) => classesNamed(tx, { school, name, year }),
    teaching_set: setsNamed,
    term: async (tx, { school, name, year }) => (await termsOfYear(tx, { school, year })).filter((term) => isSameTermName(term.name, name)),
  }
