import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'
import type { Replicated } from '@markbook/shared/tables/tables'
import { readExactCsv } from '../../documents/csv.ts'
import { sha256Of } from '../../files/digest.ts'
import type { Services } from '../../http/services.ts'
import { orNull } from '../../or-null.ts'
import type { Progress } from '../../store/backup/engine.ts'
import { asSystem, type NewRow } from '../../store/tx.ts'
import { fromLines } from './cells.ts'
import { isAsWritten, MANIFEST, Manifest } from './manifest.ts'
import { openParts } from './place.ts'
import { exportedTables, type SchoolRows } from './rows.ts'

/** An export that was read and checked; nothing has been written yet. `adminId`: the person whose address was typed. */
export type Incoming = { manifest: Manifest; rows: SchoolRows; adminId: string; part: (path: string) => Uint8Array }

const NEWER = 'This export was made by a newer Markbook. Update this one first.'

/**
 * Reads every file of an export and compares it with the manifest. Throws where it is no export, is damaged, has a file that the manifest
 * does not name, is of a newer Markbook, or does not have `email` as an active administrator.
 */
export function readExport(from: string, email: string, progress: Progress = () => {}): Incoming {
  const { paths, read } = openParts(from)
  const manifest = manifestIn(read(MANIFEST), from)
  if (manifest.schema > SCHEMA_VERSION) throw new Error(NEWER)
  const known = new Map(manifest.parts.map((part) => [part.path, part]))
  const part = (path: string) => {
    const bytes = read(path)
    const { size, sha256 } = known.get(path) ?? {}
    if (bytes?.length !== size || !bytes || sha256Of(bytes) !== sha256)
      throw new Error(`${path} in this export is missing or not what was written. Nothing was changed.`)
    return bytes
  }
  const size = manifest.parts.reduce((sum, each) => sum + each.size, 0)
  let compared = 0
  for (const path of known.keys()) {
    progress('Comparing the export with its manifest', compared / size)
    compared += part(path).length
  }
  const strange = paths.find((path) => path !== MANIFEST && !known.has(path))
  if (strange !== undefined)
    throw new Error(`${strange} lies in this export and is no part of it. Look what it is, and take it out. Nothing was changed.`)
  const rows: SchoolRows = {}
  for (const table of exportedTables) {
    progress(`Reading the table ${table}`)
    rows[table] = fromLines(table, readExactCsv(part(`tables/${table}.csv`)))
  }
  for (const file of manifest.files) part(file.part)
  return { manifest, rows, adminId: adminIn(rows, email), part }
}

function manifestIn(bytes: Uint8Array | null, from: string): Manifest {
  if (!bytes) throw new Error(`${from} is not an export of Markbook: there is no ${MANIFEST} in it.`)
  const text = Buffer.from(bytes).toString('utf8')
  const found = orNull(() => JSON.parse(text) as { format?: string } | null)
  if (/^markbook-export\/(?!1$)\d+$/.test(found?.format ?? '')) throw new Error(NEWER)
  const { data } = Manifest.safeParse(found)
  if (!data) throw new Error(`The ${MANIFEST} of this export cannot be read.`)
  if (!isAsWritten(text)) throw new Error(`The ${MANIFEST} of this export is not what was written. Nothing was changed.`)
  return data
}

function adminIn({ user_profile = [], school_management = [] }: SchoolRows, email: string): string {
  const person = user_profile.find((row) => row['email'] === email)
  const isAdmin = school_management.some((row) => row['user_id'] === person?.id && row['role'] === 'admin' && row['is_active'] === true)
  if (person && isAdmin) return person.id
  throw new Error(`${email} is no administrator of the school in this export. Name one with --as.`)
}

/** Rows of one insert. */
const AT_ONCE = 2_000

/**
 * Writes everything or nothing, in the name of the administrator. Throws where the database has this school, or has any school at a node
 * for one school.
 */
export async function importSchool(
  { store, files, config }: Services,
  { manifest, rows, adminId, part }: Incoming,
  progress: Progress = () => {},
): Promise<void> {
  const { school } = manifest
  await store.write(asSystem(adminId), async (tx) => {
    const there = await tx.db.select({ id: tx.t.school.id }).from(tx.t.school)
    if (there.some(({ id }) => id === school.id)) throw new Error(`${school.name} is in this database already. Nothing was changed.`)
    if (config.dedicated && there.length > 0)
      throw new Error('This database holds another school already. Choose an empty one with DATA_DIR or DATABASE_URL. Nothing was changed.')
    const known = new Set((await tx.db.select({ id: tx.t.user_profile.id }).from(tx.t.user_profile)).map(({ id }) => id))
    for (const table of exportedTables) {
      const own = rows[table] ?? []
      const fresh =
        table === 'user_profile'
          ? own.filter(({ id }) => !known.has(id)).map((row) => ({ ...row, school_id: homeOf(row, school.id) }))
          : own
      for (let from = 0; from < fresh.length; from += AT_ONCE) {
        progress(`Writing the table ${table}`, from / fresh.length)
        // The values have the types of their columns: `fromLines` parsed them.
        await tx.insert(table, fresh.slice(from, from + AT_ONCE) as readonly NewRow<Replicated>[])
      }
    }
    progress('Writing the history')
  })
  for (const { bucket, path, content_type, part: at } of manifest.files)
    await files.put(bucket, path, part(at), { contentType: content_type, overwrite: true })
}

/** Somebody whose home school was another one of the old node has none here: that school is not imported. */
const homeOf = (row: Record<string, unknown>, schoolId: string) => (row['school_id'] === schoolId ? schoolId : null)
