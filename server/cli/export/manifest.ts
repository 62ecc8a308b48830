import { z } from 'zod'
import { sha256Of } from '../../files/digest.ts'

const Below = z.string().refine((path) => !/^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))

/** What lies at the top of an export as `export.json`. Digests are SHA-256, hex; sizes in bytes. */
export const Manifest = z.strictObject({
  format: z.literal('markbook-export/1'),
  version: z.string(),
  schema: z.int(),
  made_at: z.iso.datetime(),
  school: z.object({ id: z.uuid(), name: z.string() }),
  /** Rows of each table. */
  counts: z.record(z.string(), z.int()),
  parts: z.array(z.object({ path: Below, size: z.int(), sha256: z.string() })),
  /** Uploaded files: where they lie here, and where they were. */
  files: z.array(z.object({ part: Below, bucket: z.enum(['images', 'report-books']), path: Below, content_type: z.string() })),
  /** Of all that stands before it in the file; exports of before 2026-12 have none. */
  digest: z.string().optional(),
})
export type Manifest = z.infer<typeof Manifest>

export const MANIFEST = 'export.json'
/** Lists the parts that are finished, while an export is being written. */
export const FINISHED = 'finished.jsonl'

const DIGEST = '  "digest": '
const ending = (before: string) => `${DIGEST}"${sha256Of(Buffer.from(before))}"\n}\n`

/** The manifest as a file, whose end says what the rest must be. */
export function manifestText(manifest: Omit<Manifest, 'digest'>): string {
  const before = `${JSON.stringify(manifest, null, 2).replace(/\n\}$/, '')},\n`
  return before + ending(before)
}

/** False where a single byte of the file is not what was written; true where nothing says what that was. */
export function isAsWritten(text: string): boolean {
  const at = text.lastIndexOf(DIGEST)
  return at < 0 || text.slice(at) === ending(text.slice(0, at))
}
