import { z } from 'zod'

const Below = z.string().refine((path) => !/^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))

/** What lies at the top of an export as `export.json`. Digests are SHA-256, hex; sizes in bytes. */
export const Manifest = z.object({
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
})
export type Manifest = z.infer<typeof Manifest>

export const MANIFEST = 'export.json'
