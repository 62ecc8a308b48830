import { eq } from 'drizzle-orm'
import { statement } from '../../store/statement.ts'

type AtPath = { path: string }

export const reportPdfAt = statement<AtPath>()(({ db, t, p }) =>
  db.select({ id: t.report_book_pdf.id }).from(t.report_book_pdf).where(eq(t.report_book_pdf.file_path, p.path)).limit(1),
)

export const classFileAt = statement<AtPath>()(({ db, t, p }) =>
  db.select({ id: t.class_report_file.id }).from(t.class_report_file).where(eq(t.class_report_file.file_path, p.path)).limit(1),
)
