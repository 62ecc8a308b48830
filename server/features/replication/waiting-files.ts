import type { WaitingFile } from '@markbook/shared/contract/replication.rows'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { and, asc, eq } from 'drizzle-orm'
import type { Services } from '../../http/services.ts'
import { fileOf } from '../../replication/files/named.ts'
import { eachOf, LOOKUPS_AT_ONCE } from '../../replication/files/store-file.ts'
import type { UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import type { ReadTx } from '../../store/tx.ts'
import { namesOf } from './naming.ts'
import { parentOf } from './replication.queries.ts'

/** Files of a school's server that its parent lacks, or that it lacks; `report`: only the PDFs of this book. */
export async function waitingFilesOf(tx: ReadTx, school: string, course: UpstreamStatus | null, report?: string): Promise<WaitingFile[]> {
  const parent = await parentOf(tx, school, course)
  if (!parent) return []
  const { sync_file, report_book_pdf } = tx.t
  const { table_name, row_id, direction, tries, reason } = sync_file
  const all = tx.db.select({ table_name, row_id, direction, tries, reason }).from(sync_file).$dynamic()
  const papers = and(eq(report_book_pdf.school_id, school), eq(report_book_pdf.id, row_id), eq(table_name, 'report_book_pdf'))
  const chosen = report === undefined ? all : all.innerJoin(report_book_pdf, and(papers, eq(report_book_pdf.report_book_id, report)))
  const rows = (await chosen
    .where(eq(sync_file.peer_id, parent.id))
    .orderBy(asc(tries), asc(sync_file.next_at), asc(table_name), asc(row_id))
    .limit(limits.sync.listedRows)) as Omit<Row<'sync_file'>, 'peer_id' | 'next_at'>[]
  const where = await namesOf(
    tx,
    school,
    rows.map((row) => ({ entity: row.table_name, row_id: row.row_id })),
  )
  return rows.map((row) => {
    const named = { entity: row.table_name, row_id: row.row_id }
    return { ...named, where: where(named), way: row.direction === 'up' ? 'to_send' : 'to_come', tries: row.tries, reason: row.reason }
  })
}

/**
 * The PDFs of a book that are missing here without being requested: at the centre a child sends them. `listed`: those that are requested.
 */
export async function missingPapers(
  files: Services['files'],
  papers: readonly Row<'report_book_pdf'>[],
  listed: readonly WaitingFile[],
): Promise<WaitingFile[]> {
  const missing: WaitingFile[] = []
  await eachOf(papers, LOOKUPS_AT_ONCE, async (paper) => {
    const file = fileOf('report_book_pdf', paper.id, paper)
    if (!file || listed.some(({ row_id }) => row_id === paper.id) || (await files.head(file.bucket, file.path))) return
    missing.push({ entity: 'report_book_pdf', row_id: paper.id, where: '', way: 'to_come', tries: 0, reason: null })
  })
  return missing
}
