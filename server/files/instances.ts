import { randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { desc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Config, ConfigError } from '../config.ts'
import { makeFolder } from '../make-folder.ts'
import { repeatedly } from '../repeatedly.ts'
import { lockedNode } from '../store/node.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type WriteTx } from '../store/tx.ts'

type Settings = Pick<Config, 'dataDir' | 's3' | 'sharedFiles'>
type Instance = { host: string; seconds: number }

/**
 * Registers this server among those of a central database, and regularly reports that it runs (docs/design/files.md). Throws, and
 * registers nothing, where another running server stores its files elsewhere. `host`: the name of its machine. `hasOthers`: others run.
 */
export async function enterInstance(
  store: Store,
  settings: Settings,
  host: string,
): Promise<{ hasOthers: boolean; stop(): Promise<void> }> {
  const id = randomUUID()
  const place = await placeOfFiles(settings)
  // By the database's clock, since several machines have different ones.
  const report = (tx: WriteTx) => {
    const row = { place, host, seen_at: sql`now()` }
    const { server_instance } = tx.t
    return tx.local
      .insert(server_instance)
      .values({ id, ...row })
      .onConflictDoUpdate({ target: server_instance.id, set: row })
  }
  const { others, elsewhere } = await store.write(asSystem(), async (tx) => {
    // One after the other: of two servers that start at once the second sees the first.
    await lockedNode(tx, {})
    const { host, place: theirs, seen_at } = tx.t.server_instance
    const others = await tx.db
      .select({ host, place: theirs, seconds: sql<number>`extract(epoch from now() - ${seen_at})::int` })
      .from(tx.t.server_instance)
      .where(gt(seen_at, ago(limits.instances.endedAfterMs)))
      .orderBy(desc(seen_at))
    const elsewhere = others.find((other) => other.place !== place)
    if (!elsewhere) await report(tx)
    return { others, elsewhere }
  })
  if (elsewhere) throw new ConfigError(refusal(elsewhere))
  const reportAgain = () =>
    store
      .write(asSystem(), async (tx) => {
        await report(tx)
        const { server_instance } = tx.t
        await tx.local.delete(server_instance).where(lt(server_instance.seen_at, ago(limits.instances.retentionMs)))
      })
      // If the database is down, the next report reaches it.
      .catch(() => {})
  const reporting = repeatedly(reportAgain, { first: limits.instances.heartbeatEveryMs, every: limits.instances.heartbeatEveryMs })
  const leave = () =>
    store
      .write(asSystem(), async (tx) => {
        await tx.local.delete(tx.t.server_instance).where(eq(tx.t.server_instance.id, id))
      })
      .catch(() => {})
  return { hasOthers: others.length > 0, stop: () => reporting.stop().then(leave) }
}

const ago = (ms: number) => sql`now() - ${ms} * interval '1 millisecond'`

const refusal = ({ host, seconds }: Instance) =>
  [
    `Another server of this database runs on ${host} (heard ${seconds} s ago), and keeps uploaded and made files in another place.`,
    'A report card that one of them makes would be missing at the other, so Markbook has not started.',
    '',
    'Set one of these at every server of this database:',
    '  S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY   one S3 for the files of all',
    '  SHARED_FILES=true                                        the folder «files» in DATA_DIR is one that all of them share',
    '',
    `Has that server ended? One that was cut off counts for ${limits.instances.endedAfterMs / 1_000} s: start again after that.`,
  ].join('\n')

/**
 * Identifies the place of the files, so that servers can compare. A folder contains a random mark; its device and inode distinguish it
 * from a copy that has the mark too.
 */
async function placeOfFiles({ dataDir, s3, sharedFiles }: Settings): Promise<string> {
  if (s3) return 's3'
  if (sharedFiles) return 'shared'
  const folder = join(dataDir, 'files', '.instances')
  const mark = join(folder, 'place')
  makeFolder(folder)
  await writeFile(mark, randomUUID(), { flag: 'wx', mode: 0o600 }).catch((error: { code?: string }) => {
    if (error.code !== 'EEXIST') throw error
  })
  return `folder ${await readFile(mark, 'utf8')} ${(await stat(mark, { bigint: true })).ino}`
}
