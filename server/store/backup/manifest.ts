import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { z } from 'zod'

/** A backup that cannot be made or put back, in one line for a person. */
export class BackupError extends Error {}
/** The database or copy itself is the trouble. */
export class UnsoundError extends BackupError {}

export const reasons = ['hourly', 'nightly', 'migration', 'restore', 'manual'] as const
export type Reason = (typeof reasons)[number]

const FORMAT = 'markbook-backup/1'
const Digest = z.string().regex(/^[0-9a-f]{64}$/)
/** Below the folder of the files, wherever the backup came from. */
const Below = z.string().refine((path) => !/^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))
const Whole = z.number().int().nonnegative()

const Contents = z.strictObject({
  format: z.literal(FORMAT),
  database: z.enum(['sqlite', 'postgres']),
  created_at: z.iso.datetime(),
  reason: z.enum(reasons),
  node_id: z.uuid(),
  /** The migrations that the database had, by their times. */
  migrations: z.array(Whole),
  /** Rows of every table. */
  counts: z.record(z.string(), Whole),
  file: z.enum(['markbook.sqlite', 'markbook.dump']),
  size: Whole,
  digest: Digest,
  files: z.array(z.strictObject({ path: Below, size: Whole, digest: Digest })),
})
const Manifest = Contents.extend({ seal: Digest })

/** What lies beside the database in a backup (decision 200). Sizes in bytes, digests SHA-256; `seal` is the digest of all the rest. */
export type Manifest = z.infer<typeof Manifest>
export type ManifestContents = Omit<Manifest, 'format' | 'seal'>
export type StoredFile = Manifest['files'][number]
export type Counts = Record<string, number>

export const MANIFEST_FILE = 'manifest.json'

const sealOf = (contents: z.infer<typeof Contents>) => createHash('sha256').update(JSON.stringify(contents)).digest('hex')

export function sealed(given: ManifestContents): Manifest {
  const contents = Contents.parse({ format: FORMAT, ...given })
  return { ...contents, seal: sealOf(contents) }
}

/** A backup on a disk, known by the name of its folder alone; its contents may still turn out to be damaged. */
export type Listed = { name: string; path: string; at: number; reason: Reason }
export type Backup = { name: string; path: string; manifest: Manifest }

const NAME = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d)-(\\d\\d)-(\\d\\d)Z-(${reasons.join('|')})(?:-\\d+)?$`)

/** The name of a backup's folder: names sort by time, on every file system. */
export const nameOf = (ms: number, reason: Reason): string =>
  `${toInstant(ms)
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')}-${reason}`

/** The backups in a folder, oldest first; none where the folder is missing. */
export function listBackups(folder: string): Listed[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error
  }
  return names.sort().flatMap((name) => {
    const [, day, hour, minute, second, reason] = NAME.exec(name) ?? []
    if (!day) return []
    return [{ name, path: join(folder, name), at: Date.parse(`${day}T${hour}:${minute}:${second}Z`), reason: reason as Reason }]
  })
}

/** Reads the manifest of a backup, given by its folder or by a file in it. Refuses what is no backup, and a damaged manifest. */
export function openBackup(given: string): Backup {
  const folder = folderOf(given)
  const path = join(folder, MANIFEST_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new BackupError(`${given} is not a backup of Markbook: there is no ${MANIFEST_FILE} with it.`)
  }
  const damaged = () => new BackupError(`The backup ${folder} is damaged: its ${MANIFEST_FILE} cannot be trusted. Nothing was changed.`)
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw damaged()
  }
  const format = (found as { format?: unknown } | null)?.format
  if (typeof format === 'string' && /^markbook-backup\/(?!1$)\d+$/.test(format)) throw tooNew(folder)
  const manifest = Manifest.safeParse(found)
  if (!manifest.success) throw damaged()
  const { seal, ...contents } = manifest.data
  if (sealOf(contents) !== seal) throw damaged()
  return { name: basename(folder), path: folder, manifest: manifest.data }
}

export const tooNew = (folder: string) =>
  new BackupError(
    `The backup ${folder} was made by a newer Markbook than this one. Update Markbook, then restore it again. Nothing was changed.`,
  )

function folderOf(given: string): string {
  try {
    return statSync(given).isDirectory() ? given : dirname(given)
  } catch {
    throw new BackupError(`There is no backup at ${given}.`)
  }
}

/** SHA-256 of a file, in pieces, so that a large one neither fills the memory nor holds up anybody. */
export async function digestOf(path: string): Promise<{ digest: string; size: number }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of createReadStream(path, { highWaterMark: 1_048_576 })) {
    hash.update(part as Buffer)
    size += (part as Buffer).length
  }
  return { digest: hash.digest('hex'), size }
}
