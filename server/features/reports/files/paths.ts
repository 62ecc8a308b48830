import { randomUUID } from 'node:crypto'
import type { Row } from '@markbook/shared/tables/tables'
import { XLSX_TYPE } from '../../../documents/sheet-kind.ts'

/** The bucket of the documents of reports and classes. */
export const BUCKET = 'report-books'

export type FileType = Row<'class_report_file'>['file_type']

export const contentTypes: Record<FileType, string> = {
  pdf: 'application/pdf',
  csv: 'text/csv; charset=UTF-8',
  xlsx: XLSX_TYPE,
}

/** The folder of a report: only a file in it is ever recorded as its PDF. */
export const folderOf = (reportId: string): string => `${reportId}/`

/** Never chosen by the client, and never reused: the id distinguishes uploads within one millisecond (specification, isolation rules). */
export const pdfPath = (reportId: string, nowMs: number): string => `${folderOf(reportId)}${nowMs}-${randomUUID()}.pdf`

export const classFilePath = (groupId: string, nowMs: number, type: FileType): string =>
  `classes/${groupId}/${nowMs}-${randomUUID()}.${type}`
