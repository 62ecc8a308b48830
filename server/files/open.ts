import { join } from 'node:path'
import type { Clock } from '@markbook/shared/clock'
import type { Config } from '../config.ts'
import { diskStorage } from './disk.ts'
import { ensureBuckets, openS3 } from './s3.client.ts'
import { s3Storage } from './s3.ts'
import { s3Uploads } from './s3.uploads.ts'
import type { ObjectStorage } from './storage.ts'
import { diskUploads, type Uploads } from './uploads.ts'

export type Storage = { files: ObjectStorage; uploads: Uploads }

/** The storage of this node's files (decisions §7). */
export async function openStorage({ dataDir, s3: settings }: Pick<Config, 'dataDir' | 's3'>, clock: Clock): Promise<Storage> {
  if (!settings) return storageIn(join(dataDir, 'files'), clock)
  const s3 = await openS3(settings)
  await ensureBuckets(s3)
  return { files: s3Storage(s3, { clock }), uploads: s3Uploads(s3) }
}

/** A storage in one folder of a disk. `floor` as for `diskStorage`. */
export const storageIn = (folder: string, clock: Clock, floor?: number): Storage => ({
  files: diskStorage({ folder, clock, ...(floor !== undefined && { floor }) }),
  uploads: diskUploads({ folder, floor }),
})
