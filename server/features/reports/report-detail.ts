import type { ReportDetail, ReportEntry } from '@markbook/shared/contract/reports'
import type { Row } from '@markbook/shared/tables/tables'
import { pick } from '../../store/conditions.ts'
import type { ReadTx } from '../../store/tx.ts'
import { peopleOfSchool } from '../schools/schools.policy.ts'
import { contentHashOf } from './approval.ts'
import { partialIn } from './partial.ts'
import { studentOf } from './reports.policy.ts'
import { entriesWithSubjects, pdfsOfBook, writesTo } from './reports.queries.ts'
import { shownLetter } from './snapshot.ts'

type Entry = Row<'report_book_entry'>

/** An entry as in replies, with its effective letter. */
export const shownEntry = (entry: Entry): Entry & ReportEntry => ({ ...entry, letter_grade: shownLetter(entry) })

/** A report with its entries in order, its student and its PDFs, newest first. */
export async function detailOf(tx: ReadTx, book: Row<'report_book'>): Promise<ReportDetail> {
  const ofBook = { school: book.school_id, book: book.id }
  const student = await studentOf(tx, book)
  const rows = await entriesWithSubjects(tx, ofBook)
  const partialOf = await partialIn(tx, [book])
  const content_hash = contentHashOf(
    book,
    rows.map(({ entry }) => entry),
  )
  return {
    ...book,
    is_changed_since_sent_back: book.sent_back_hash !== null && book.sent_back_hash !== content_hash,
    sent_back_person: await personOf(tx, book),
    student,
    attendance: book.snapshot.attendance ?? null,
    entries: rows.map(({ entry, subject }) => ({ ...shownEntry(entry), ...partialOf(entry), subject })),
    pdfs: await pdfsWithDrafts(tx, book),
    content_hash,
  }
}

/** The person who sent it back, if still a member of the school. */
async function personOf(
  tx: ReadTx,
  { school_id: school, sent_back_by: id }: Row<'report_book'>,
): Promise<ReportDetail['sent_back_person']> {
  const member = id === null ? undefined : (await peopleOfSchool(tx, { school })).find(({ user_id }) => user_id === id)
  return member ? { id: member.user_id, ...pick(member, 'first_name', 'last_name') } : null
}

/** The PDFs of a report, newest first; those made before it was published are marked DRAFT. */
async function pdfsWithDrafts(tx: ReadTx, { id, school_id: school, status }: Row<'report_book'>): Promise<ReportDetail['pdfs']> {
  const pdfs = await pdfsOfBook(tx, { school, book: id })
  if (pdfs.length === 0 || status === 'draft') return pdfs.map((pdf) => ({ ...pdf, is_draft: status === 'draft' }))
  const left = (await writesTo(tx, { school, near: id, book: id })).find(({ changes }) => changes['status']?.before === 'draft')
  return pdfs.map((pdf) => ({ ...pdf, is_draft: left !== undefined && pdf.generated_at < left.at }))
}
