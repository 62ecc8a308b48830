import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { idSource } from '@markbook/shared/ids'
import postgres from 'postgres'
import type { School } from '../../testing/school.ts'
import { openCentralStore, openSchoolStore, type Store } from '../store.ts'
import { asSystem } from '../tx.ts'
import { type Backup, contentIn, type ManifestContents } from './manifest.ts'
import { databaseOf } from './postgres.tools.ts'
import type { BackupLocation } from './take.ts'

/** The cluster that comes from npm has no pg_dump, and is newer than one that the machine may have. */
export const canBackUp = process.env['TEST_DATABASE'] !== 'postgres' || (process.env['TEST_POSTGRES'] !== 'embedded' && hasPgDump())

function hasPgDump(): boolean {
  return spawnSync('pg_dump', ['--version'], { stdio: 'ignore' }).status === 0
}

/** What the manifest of a backup says, to write it anew with a change. */
export function contentsOf({ manifest }: Backup): ManifestContents {
  if (manifest.format === 'markbook-backup/1') throw new Error('a backup of the old format')
  const { format, seal, content, ...contents } = { content: undefined, ...manifest }
  return contents
}

/** The file in which a database lies: its own, or the only pack of what is stored by content. */
export function databaseFileOf(backup: Backup): string {
  const [pack] = contentIn(backup)?.packs ?? []
  return pack ? join(dirname(backup.path), 'content', `${pack}.pack`) : join(backup.path, backup.manifest.file)
}

/** A school whose database is backed up and put back: its folders, its store opened again, and the end of it all. */
export type Drill = {
  st: School
  place: BackupLocation
  /** As a server that starts on the database. */
  open(): Promise<Store>
  /** Every row of every table, as text. */
  contents(store: Store): Promise<Record<string, string[]>>
  end(): Promise<void>
}

export function drillOf(st: School): Drill {
  const { url, folder } = st.database
  const dataDir = folder || mkdtempSync(join(tmpdir(), 'markbook-drill-'))
  const { clock } = st
  const newId = idSource(clock.now, (size) => randomBytes(size))
  return {
    st,
    place: { dataDir, databaseUrl: url || null, backupDir: join(dataDir, 'backups'), copyDir: null, clock, newId },
    open: () => (url ? openCentralStore(url, { clock, newId, role: 'centre' }) : openSchoolStore(folder, { clock, newId, role: 'school' })),
    contents,
    end: async () => {
      await st.close()
      if (url) await dropSetAside(url)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const contents = (store: Store) =>
  store.read(asSystem(), async (tx) => {
    const all: Record<string, string[]> = {}
    for (const [name, table] of Object.entries(tx.t)) {
      const rows = await tx.db.select().from(table as never)
      all[name] = rows.map((row) => JSON.stringify(row)).sort()
    }
    return all
  })

/** The databases that restores on Postgres have put aside. */
async function dropSetAside(url: string) {
  const sql = postgres(Object.assign(new URL(url), { pathname: '/postgres' }).href, { max: 1, onnotice: () => {} })
  const like = `${databaseOf(url).slice(-20)}`
  const names = await sql`select datname from pg_database where datname like ${`%${like}\\_before\\_%`}`
  for (const { datname } of names) await sql`drop database ${sql(datname)} with (force)`
  await sql.end()
}
