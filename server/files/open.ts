import { join } from 'node:path'
import type { Clock } from '@markbook/shared/clock'
import type { Config } from '../config.ts'
import { diskStorage } from './disk.ts'
import { BucketFault, findBuckets, openS3 } from './s3.client.ts'
import { s3Storage } from './s3.ts'
import { s3Uploads } from './s3.uploads.ts'
import type { ObjectStorage } from './storage.ts'
import { diskUploads, type Uploads } from './uploads.ts'

export type Storage = { files: ObjectStorage; uploads: Uploads }

type Settings = Pick<Config, 'dataDir' | 's3'>

/** The storage of this node's files (decisions §7). Marks do not wait for an S3 that cannot be reached: `onAway` gets one line for the operator. */
export async function openStorage(
  { dataDir, s3: settings }: Settings,
  clock: Clock,
  onAway: (line: string) => void = () => {},
): Promise<Storage> {
  if (!settings) return storageIn(join(dataDir, 'files'), clock)
  const s3 = await openS3(settings)
  await findBuckets(s3, { make: true }).catch((error: unknown) => {
    if (!(error instanceof BucketFault) || error.fault !== 'away') throw error
    onAway(error.message)
  })
  return { files: s3Storage(s3, { clock }), uploads: s3Uploads(s3) }
}

/** A storage in one folder of a disk. `floor` as for `diskStorage`. */
export const storageIn = (folder: string, clock: Clock, floor?: number): Storage => ({
  files: diskStorage({ folder, clock, ...(floor !== undefined && { floor }) }),
  uploads: diskUploads({ folder, floor }),
})
