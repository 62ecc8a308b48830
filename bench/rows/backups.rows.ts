import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addContent } from '@markbook/server/store/backup/content/add'
import { onThisDisk } from '@markbook/server/store/backup/content/disk'
import { Packs } from '@markbook/server/store/backup/content/packs'
import { pagesOf } from '@markbook/server/store/backup/content/pages'
import { encodeRuns } from '@markbook/server/store/backup/content/places'
import { DATABASE_FILE } from '@markbook/server/store/sqlite'
import type { Store } from '@markbook/server/store/store'
import { asUser } from '@markbook/server/store/tx'
import { limits } from '@markbook/shared/limits'
import Database from 'better-sqlite3'
import { and, eq } from 'drizzle-orm'
import { type Bench, most } from '../bench-row.ts'
import { copyOfSchool, newFolder, withStore } from '../fill.ts'
import { benchSchool } from '../school.ts'

/** The number of bulks of forty marks in each interval, as in a school with five years of marks. */
const BULKS = { week: 130, day: 26, hour: 5, moment: 1 }

/** The number of bulks written before each backup that is kept, from the oldest to the newest. */
function gaps(): number[] {
  const { weekly, nightly, hourly, special } = limits.backup.kept
  const times = (count: number, bulks: number) => Array.from({ length: count }, () => bulks)
  return [...times(weekly, BULKS.week), ...times(nightly, BULKS.day), ...times(hourly, BULKS.hour), ...times(special, BULKS.moment)]
}

/** Writes bulks: the marks of one assessment of the newest year get other values. */
async function writeBulks(store: Store, count: number, from: number): Promise<void> {
  const school = benchSchool('big')
  for (let bulk = from; bulk < from + count; bulk += 1) {
    const marked = school.markedNow[(bulk * 7) % school.markedNow.length]
    const assessment = marked?.assessments[(bulk * 11) % marked.assessments.length]
    await store.write(asUser(school.head.id), async (tx) => {
      const rows = await tx.db
        .select()
        .from(tx.t.grade)
        .where(and(eq(tx.t.grade.school_id, school.id), eq(tx.t.grade.assessment_id, assessment?.id ?? '')))
      await tx.update(
        'grade',
        rows.map((before, seat) => ({ before, patch: { score: ((bulk + seat) % 197) / 2 } })),
      )
    })
  }
}

const bytesIn = (folder: string) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
const inMegabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(0)} MB`

/** The size of all backups that are kept of a school of five years, against one copy of its database. */
export const backups: Bench = async () => {
  const folder = await copyOfSchool('big')
  const database = join(folder, DATABASE_FILE)
  const kept = newFolder()
  const where = onThisDisk(join(kept, 'content'))
  mkdirSync(join(kept, 'places'))
  let written = 0
  let first = 0
  const all = gaps()
  for (const [at, count] of all.entries()) {
    await withStore({ folder }, (store) => writeBulks(store, count, written))
    written += count
    // Merges the WAL into the database, as in a backup.
    const connection = new Database(database)
    connection.pragma('wal_checkpoint(TRUNCATE)')
    connection.close()
    const { runs } = await addContent(await Packs.open(where), pagesOf(database))
    writeFileSync(join(kept, 'places', String(at)), encodeRuns(runs))
    if (at === 0) first = bytesIn(where.folder)
  }
  const [one, total] = [statSync(database).size, bytesIn(where.folder) + bytesIn(join(kept, 'places'))]
  return [
    {
      what: `the ${all.length} backups that are kept, of five years of marks`,
      control: 'one database, by bytes',
      target: most(3),
      measured: total / one,
      figure: `${inMegabytes(total)} / ${inMegabytes(one)}; the first ${inMegabytes(first)}; ${(written * 40).toLocaleString('en-GB')} marks written meanwhile`,
    },
  ]
}
