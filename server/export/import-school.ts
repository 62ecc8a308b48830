import { type Replicated, SCHEMA_VERSION } from '@markbook/shared/tables/tables'
import { readExactCsv } from '../documents/csv.ts'
import type { Services } from '../http/services.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'
import { ExportError, fromLines } from './cells.ts'
import { MANIFEST, Manifest, sha256 } from './manifest.ts'
import { openParts } from './place.ts'
import { exportedTables, type SchoolRows } from './rows.ts'

/** An export that was read whole and can be taken in; nothing has been written. */
export type Incoming = { manifest: Manifest; rows: SchoolRows; adminId: string; part: (path: string) => Uint8Array }

/** Throws `ExportError` in one line: no export, damaged, of a newer Markbook, or without `email` as an active administrator. */
export function readExport(from: string, email: string): Incoming {
  const open = openParts(from)
  const manifest = manifestIn(open(MANIFEST), from)
  if (manifest.schema > SCHEMA_VERSION) throw new ExportError('This export was made by a newer Markbook. Update this one first.')
  const known = new Map(manifest.parts.map((part) => [part.path, part.sha256]))
  const part = (path: string) => {
    const bytes = open(path)
    if (!bytes || known.get(path) !== sha256(bytes)) throw new ExportError(`${path} in this export is missing or not what was written.`)
    return bytes
  }
  const rows: SchoolRows = {}
  for (const table of exportedTables) rows[table] = fromLines(table, readExactCsv(part(`tables/${table}.csv`)))
  for (const file of manifest.files) part(file.part)
  return { manifest, rows, adminId: adminIn(rows, email), part }
}

function manifestIn(bytes: Uint8Array | null, from: string): Manifest {
  if (!bytes) throw new ExportError(`${from} is not an export of Markbook: there is no ${MANIFEST} in it.`)
  try {
    const found = JSON.parse(Buffer.from(bytes).toString('utf8')) as { format?: string }
    if (/^markbook-export\/(?!1$)\d+$/.test(found.format ?? ''))
      throw new ExportError('This export was made by a newer Markbook. Update this one first.')
    return Manifest.parse(found)
  } catch (error) {
    if (error instanceof ExportError) throw error
    throw new ExportError(`The ${MANIFEST} of this export cannot be read.`)
  }
}

function adminIn({ user_profile = [], school_management = [] }: SchoolRows, email: string): string {
  const person = user_profile.find((row) => row['email'] === email)
  const isAdmin = school_management.some((row) => row['user_id'] === person?.id && row['role'] === 'admin' && row['is_active'] === true)
  if (person && isAdmin) return person.id
  throw new ExportError(`${email} is no administrator of the school in this export. Name one with --as.`)
}

/** Writes all of it, or nothing, in the name of its administrator. Refuses a database that holds this school, or any on a school's own node. */
export async function importSchool({ store, files, config }: Services, { manifest, rows, adminId, part }: Incoming): Promise<void> {
  const { school } = manifest
  await store.write(asSystem(adminId), async (tx) => {
    const there = await tx.db.select({ id: tx.t.school.id }).from(tx.t.school)
    if (there.some(({ id }) => id === school.id)) throw new ExportError(`${school.name} is in this database already. Nothing was changed.`)
    if (config.dedicated && there.length > 0)
      throw new ExportError(
        'This database holds another school already. Choose an empty one with DATA_DIR or DATABASE_URL. Nothing was changed.',
      )
    const known = new Set((await tx.db.select({ id: tx.t.user_profile.id }).from(tx.t.user_profile)).map(({ id }) => id))
    for (const table of exportedTables) {
      const own = rows[table] ?? []
      const fresh =
        table === 'user_profile'
          ? own.filter(({ id }) => !known.has(id)).map((row) => ({ ...row, school_id: homeOf(row, school.id) }))
          : own
      await insert(tx, table, fresh)
    }
  })
  for (const { bucket, path, content_type, part: at } of manifest.files)
    await files.put(bucket, path, part(at), { contentType: content_type, overwrite: true })
}

/** Whoever was at home in another school of the old node is so no longer: that school is not here. */
const homeOf = (row: Record<string, unknown>, schoolId: string) => (row['school_id'] === schoolId ? schoolId : null)

const insert = (tx: WriteTx, table: Replicated, rows: readonly unknown[]) => tx.insert(table, rows as never)
