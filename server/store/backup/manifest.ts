import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { toInstant } from '@markbook/shared/clock'
import { z } from 'zod'
import { writeAtomically } from '../../atomic-write.ts'
import { codeOf } from '../../error-code.ts'
import { orNull } from '../../or-null.ts'
import { type Content, decodeRuns, encodeRuns } from './content/places.ts'

/** A backup that cannot be made or put back, in one line for a person. */
export class BackupError extends Error {}
/** The database or copy itself is the trouble. */
export class UnsoundError extends BackupError {}

export const reasons = ['hourly', 'nightly', 'migration', 'restore', 'manual'] as const
export type Reason = (typeof reasons)[number]

/** The format of before backups knew whose they are is read, and not written any more. In the newest the database is stored by content. */
const [OLD_FORMAT, FORMAT, CONTENT_FORMAT] = ['markbook-backup/1', 'markbook-backup/2', 'markbook-backup/3'] as const
const Digest = z.string().regex(/^[0-9a-f]{64}$/)
/** Below the folder of the files, wherever the backup came from. */
export const Below = z.string().refine((path) => !/^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path))
const Whole = z.number().int().nonnegative()

const OldContents = z.strictObject({
  format: z.literal(OLD_FORMAT),
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
const Contents = OldContents.extend({
  format: z.literal(FORMAT),
  /** Whose database it is (`Whose`). */
  database_id: z.uuid(),
  school: z.string().nullable(),
})
const ByContent = Contents.extend({
  format: z.literal(CONTENT_FORMAT),
  /** Packs by their names, and the places of the database's chunks in them (`encodeRuns`). */
  content: z.strictObject({ packs: z.array(Digest), places: z.base64() }),
})
const Manifest = z.discriminatedUnion('format', [
  OldContents.extend({ seal: Digest }),
  Contents.extend({ seal: Digest }),
  ByContent.extend({ seal: Digest }),
])

/**
 * What lies beside the database in a backup (docs/design/backup.md). Sizes in bytes, digests SHA-256; `seal` is the digest of all the rest.
 */
export type Manifest = z.infer<typeof Manifest>
export type ManifestContents = Omit<z.infer<typeof Contents>, 'format'>
export type StoredFile = Manifest['files'][number]
export type Counts = Record<string, number>

export const MANIFEST_FILE = 'manifest.json'

const sealOf = (contents: object) => createHash('sha256').update(JSON.stringify(contents)).digest('hex')

/** `content`: where the database is stored by content, and not as a file. */
export function sealed(values: ManifestContents, content?: Content): Manifest {
  const contents = content
    ? ByContent.parse({ format: CONTENT_FORMAT, ...values, content: { packs: content.packs, places: encodeRuns(content.runs) } })
    : Contents.parse({ format: FORMAT, ...values })
  return { ...contents, seal: sealOf(contents) }
}

/** Where the database of a backup is stored; null where it lies in its folder as a file. */
export function contentIn({ path, manifest }: Pick<Backup, 'path' | 'manifest'>): Content | null {
  if (manifest.format !== CONTENT_FORMAT) return null
  const { packs, places } = manifest.content
  const runs = decodeRuns(places)
  if (!runs || runs.some(({ pack }) => pack >= packs.length)) throw untrusted(path)
  return { packs, runs }
}

/** The same backup, stored elsewhere. */
export function movedTo(manifest: Manifest, content: Content): Manifest {
  if (manifest.format !== CONTENT_FORMAT) throw new Error('a backup that is not stored by content')
  const { format, seal, content: before, ...contents } = manifest
  return sealed(contents, content)
}

/**
 * A backup on a disk, known by its path alone; its contents may still turn out to be damaged. `databaseId` is that of the folder which
 * holds the backups of one database; null where it lies in the old way, among those of all databases.
 */
export type Listed = { name: string; path: string; at: number; reason: Reason; databaseId: string | null }
export type Backup = { name: string; path: string; manifest: Manifest }

const NAME = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d)-(\\d\\d)-(\\d\\d)Z-(${reasons.join('|')})(?:-\\d+)?$`)

/** The name of a backup's folder: names sort by time, on every file system. */
export const nameOf = (ms: number, reason: Reason): string =>
  `${toInstant(ms)
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')}-${reason}`

/** True for a backup, one that is not finished or is being removed, and a database that was set aside by a restore. */
export const isOfBackups = (name: string): boolean => NAME.test(name.replace(/^(\.unfinished-)?(as-it-was-)?/, ''))

/** The folder of a database as it was before a restore, where no backup could be made of it. */
export const isSetAside = (name: string): boolean => name.startsWith(SET_ASIDE) && isOfBackups(name)
export const SET_ASIDE = 'as-it-was-'

/** The folder of a database's own backups in a folder for backups, which several databases may share. */
export const folderOfDatabase = (folder: string, databaseId: string): string => join(folder, databaseId)
export const isFolderOfDatabase = (name: string): boolean => z.uuid().safeParse(name).success

/** Every backup in a folder for backups, of whichever database, oldest first; none where the folder is missing. */
export function listBackups(folder: string): Listed[] {
  const own = namesIn(folder)
    .filter(isFolderOfDatabase)
    .flatMap((id) => listIn(folderOfDatabase(folder, id), id))
  return [...listIn(folder, null), ...own].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Those that lie in this very folder. */
export const backupsIn = (folder: string): Listed[] => listIn(folder, null)

const listIn = (folder: string, databaseId: string | null): Listed[] =>
  namesIn(folder).flatMap((name) => {
    const [, day, hour, minute, second, reason] = NAME.exec(name) ?? []
    if (!day) return []
    const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
    return [{ name, path: join(folder, name), at, reason: reason as Reason, databaseId }]
  })

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return []
  }
}

/** Whoever names the folder on the USB disk means what is in it. */
function noBackup(path: string): BackupError {
  const newest = (orNull(() => listBackups(path)) ?? []).at(-1)
  return new BackupError(
    newest
      ? `${path} is a folder of backups, and not one of them. The newest there: markbook restore ${newest.path}`
      : `${path} is not a backup of Markbook: there is no ${MANIFEST_FILE} with it.`,
  )
}

/** Reads the manifest of a backup, given by its folder or by a file in it. Refuses what is no backup, and a damaged manifest. */
export function openBackup(folderOrFile: string): Backup {
  const folder = folderOf(folderOrFile)
  const path = join(folder, MANIFEST_FILE)
  const text = orNull(() => readFileSync(path, 'utf8'))
  if (text === null) throw noBackup(folderOrFile)
  const found = orNull(() => JSON.parse(text) as { format?: unknown } | null)
  const format = found?.format
  if (typeof format === 'string' && /^markbook-backup\/(?![123]$)\d+$/.test(format)) throw tooNew(folder)
  const manifest = Manifest.safeParse(found)
  if (!manifest.success) throw untrusted(folder)
  const { seal, ...contents } = manifest.data
  if (sealOf(contents) !== seal) throw untrusted(folder)
  return { name: basename(folder), path: folder, manifest: manifest.data }
}

const untrusted = (folder: string) =>
  new BackupError(`The backup ${folder} is damaged: its ${MANIFEST_FILE} cannot be trusted. Nothing was changed.`)

export const tooNew = (folder: string) =>
  new BackupError(
    `The backup ${folder} was made by a newer Markbook than this one. Update Markbook, then restore it again. To stay with this version, restore one of before the update: markbook restore --list shows them, and the name of the last of them ends with -migration. Nothing was changed.`,
  )

function folderOf(folderOrFile: string): string {
  const there = orNull(() => statSync(folderOrFile))
  if (!there) throw new BackupError(`There is no backup at ${folderOrFile}.`)
  return there.isDirectory() ? folderOrFile : dirname(folderOrFile)
}

/** Bytes and SHA-256. */
export type FileDigest = { digest: string; size: number }

/** Of a file, in pieces, so that a large one neither fills the memory nor holds up anybody. */
export const digestOf = (path: string): Promise<FileDigest> => fileDigestOf(createReadStream(path, { highWaterMark: 1_048_576 }))

export async function fileDigestOf(parts: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<FileDigest> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of parts) {
    hash.update(part)
    size += part.length
  }
  return { digest: hash.digest('hex'), size }
}

const textOf = (manifest: Manifest) => `${JSON.stringify(manifest, null, 2)}\n`
export const writeManifest = (folder: string, manifest: Manifest): void =>
  writeFileSync(join(folder, MANIFEST_FILE), textOf(manifest), { mode: 0o600 })
/** For one that is there already: the old one or the new one, also after a power cut. */
export const replaceManifest = (folder: string, manifest: Manifest): void => writeAtomically(join(folder, MANIFEST_FILE), textOf(manifest))
