import { limits } from '@markbook/shared/limits'
import { imageObject, ownerOf } from '../../files/image-address.ts'
import { type Bucket, buckets, type StoredObject } from '../../files/storage.ts'
import type { Services } from '../../http/services.ts'
import { repeatedly } from '../../repeatedly.ts'
import { rowsBy } from '../../store/statement.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { filesInBin } from '../bin/bin.policy.ts'
import { pictureAt } from './storage.queries.ts'

type Used = Pick<Services, 'files' | 'uploads' | 'store' | 'clock' | 'log'>

/** With a larger share of orphans, the files probably do not belong to this database. */
const SUSPICIOUS = { atLeast: 100, share: 0.25 }

/**
 * Deletes stored objects that no row names, here or in the bin, and that are older than a day, or than thirty days where there are other
 * nodes: files written before a crash, replaced pictures, files of deleted rows, unfinished uploads. Returns how many were deleted.
 */
export async function sweepFiles(services: Used): Promise<number> {
  const before = services.clock.now() - limits.storage.orphanAgeMs
  await services.files.sweep(before)
  await services.uploads.sweep(before)
  const since = services.clock.now() - (await lifeOfOrphans(services))
  let removed = 0
  // Rows in the bin can be restored with their files.
  const inBin = await services.store.read(asSystem(), filesInBin)
  for (const bucket of buckets) removed += await sweepBucket(services, bucket, { before: since, inBin })
  return removed
}

/** Another node may still send the row: after weeks offline, or after this database was restored. */
async function lifeOfOrphans({ store }: Used): Promise<number> {
  const nodes = await store.read(asSystem(), (tx) => tx.db.$count(tx.t.sync_peer))
  return nodes > 0 ? limits.storage.orphanAgeAmongNodesMs : limits.storage.orphanAgeMs
}

type Sweep = { before: number; inBin: ReadonlySet<string> }

async function sweepBucket(services: Used, bucket: Bucket, { before, inBin }: Sweep): Promise<number> {
  const { files, store, log } = services
  const orphans: StoredObject[] = []
  let seen = 0
  for (let after: string | undefined; ; ) {
    const page = await files.list(bucket, { prefix: '', limit: limits.storage.sweepPage, ...(after !== undefined && { after }) })
    seen += page.length
    const old = page.filter(({ modifiedAt, path }) => modifiedAt < before && (bucket === 'images' || !inBin.has(path)))
    for (const object of old) if (!(await store.read(asSystem(), (tx) => isWanted(tx, object)))) orphans.push(object)
    after = page.at(-1)?.path
    if (page.length < limits.storage.sweepPage) break
  }
  if (orphans.length > SUSPICIOUS.atLeast && orphans.length > seen * SUSPICIOUS.share) {
    log.warn({ bucket, orphans: orphans.length, objects: seen }, 'most stored files belong to no row of this database: none was removed')
    return 0
  }
  for (const object of orphans) {
    // It may have been uploaded again, or have got a row, meanwhile.
    const still = await files.head(bucket, object.path)
    if (!still || still.modifiedAt >= before || (await store.read(asSystem(), (tx) => isWanted(tx, object)))) continue
    await files.remove(bucket, object.path)
  }
  return orphans.length
}

const isWanted = async (tx: ReadTx, { bucket, path }: StoredObject): Promise<boolean> =>
  bucket === 'images'
    ? isPictureOfSomebody(tx, path)
    : (await reportPdfAt(tx, { path })).length > 0 || (await classFileAt(tx, { path })).length > 0

async function isPictureOfSomebody(tx: ReadTx, object: string): Promise<boolean> {
  const path = ownerOf(object) === null ? object.slice(0, object.lastIndexOf('/')) : object
  const owner = ownerOf(path)
  if (owner === null) return false
  const found = await pictureAt(tx, { owner, path })
  return found !== null && imageObject(path, found.sha256) === object
}

/** Sweeps regularly, first a while after the start. A failed sweep is tried again at the next time. */
export function scheduleSweeps(services: Used): { stop(): Promise<void> } {
  const sweep = () =>
    sweepFiles(services)
      .then((removed) => removed > 0 && services.log.info({ removed }, 'removed files that belonged to no row'))
      .catch((error: unknown) => services.log.warn({ err: error }, 'the sweep of the files failed'))
  return repeatedly(sweep, { first: limits.storage.startDelayMs, every: limits.storage.sweepEveryMs })
}

const reportPdfAt = rowsBy('report_book_pdf', { path: 'file_path' }, { columns: ['id'], limit: 1 })

const classFileAt = rowsBy('class_report_file', { path: 'file_path' }, { columns: ['id'], limit: 1 })
