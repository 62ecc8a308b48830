import { z } from 'zod'
import { sha256Of } from '../../files/digest.ts'
import { Below } from '../../store/backup/manifest.ts'

/** The content of `export.json`. Digests are SHA-256 in hex; sizes in bytes. */
export const Manifest = z.strictObject({
  format: z.literal('markbook-export/1'),
  version: z.string(),
  schema: z.int(),
  made_at: z.iso.datetime(),
  school: z.object({ id: z.uuid(), name: z.string() }),
  /** The number of rows of each table. */
  counts: z.record(z.string(), z.int()),
  parts: z.array(z.object({ path: Below, size: z.int(), sha256: z.string() })),
  /** Uploaded files: their path in the export, and their bucket and path in the storage. */
  files: z.array(z.object({ part: Below, bucket: z.enum(['images', 'report-books']), path: Below, content_type: z.string() })),
  /** Of everything before it in the file; exports made before 2026-12 have none. */
  digest: z.string().optional(),
})
export type Manifest = z.infer<typeof Manifest>

export const MANIFEST = 'export.json'
/** The list of finished parts of an unfinished export. */
export const FINISHED = 'finished.jsonl'

const DIGEST = '  "digest": '
const ending = (before: string) => `${DIGEST}"${sha256Of(Buffer.from(before))}"\n}\n`

/** The manifest as JSON; its last key is the digest of the text before it. */
export function manifestText(manifest: Omit<Manifest, 'digest'>): string {
  const before = `${JSON.stringify(manifest, null, 2).replace(/\n\}$/, '')},\n`
  return before + ending(before)
}

/** False where a byte of the manifest differs from what was written; true where it has no digest. */
export function isAsWritten(text: string): boolean {
  const at = text.lastIndexOf(DIGEST)
  return at < 0 || text.slice(at) === ending(text.slice(0, at))
}
