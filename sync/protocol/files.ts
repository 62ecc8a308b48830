import { z } from 'zod'

/** The tables whose rows name a file: one a row (SPEC, «Files»). */
export const fileTables = ['user_profile', 'school', 'report_book_pdf', 'class_report_file'] as const
export const FileTable = z.enum(fileTables)
export type FileTable = z.infer<typeof FileTable>

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Bytes = z.int().min(0)
const Content = z.object({ sha256: Sha256, size: Bytes })

/** A child's question about the files of rows: `held` what it has of one, null where it lacks it. */
export const FileAsk = z.object({
  files: z.array(z.object({ table: FileTable, id: z.uuid(), held: Content.nullable() })).max(1_000),
})
export type FileAsk = z.infer<typeof FileAsk>

/**
 * - `here`: the parent has what the child offered. `away`: it has not what the child lacks, or cannot look now. `unknown`: no row that this
 *   child may ask about names such a file. `refused`: what the child offered is not what the row names.
 * - `take`, `give`: the child takes or gives it with `ticket`; `content` is what it takes. An upload is called `upload`, and `offset` bytes
 *   of it have come; null: nothing was begun.
 */
export const FileAnswer = z.object({
  table: FileTable,
  id: z.uuid(),
  outcome: z.enum(['here', 'away', 'unknown', 'refused', 'take', 'give']),
  ticket: z.string().max(2_000).nullable(),
  content: Content.nullable(),
  upload: z.string().max(64).nullable(),
  offset: Bytes.nullable(),
})
export type FileAnswer = z.infer<typeof FileAnswer>
export const FileAnswers = z.object({ files: z.array(FileAnswer) })
export type FileAnswers = z.infer<typeof FileAnswers>
