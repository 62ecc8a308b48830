import { limits } from '@markbook/shared/limits'
import type { Config } from '../../config.ts'
import { BucketFault, findBuckets, openS3, type S3Fault } from '../../files/s3.client.ts'
import { type Finding, fine, problem } from './finding.ts'

/** `trouble`: null where every bucket is there. */
export type FilesFound = { endpoint: string; trouble: { what: string; fault: S3Fault | null } | null }

/** Looks for the buckets of an S3, and makes none; null where files lie on a disk. */
export async function lookAtFiles({ s3 }: Pick<Config, 's3'>): Promise<FilesFound | null> {
  if (!s3) return null
  const { endpoint } = s3
  const opened = await openS3(s3, limits.doctor.timeoutMs)
  try {
    await findBuckets(opened, { make: false })
    return { endpoint, trouble: null }
  } catch (error) {
    return { endpoint, trouble: { what: (error as Error).message, fault: error instanceof BucketFault ? error.fault : null } }
  } finally {
    opened.client.destroy()
  }
}

const ADVICE: Record<S3Fault, string> = {
  away: 'Is the S3 running, and does S3_ENDPOINT name it? Files come back by themselves once it answers.',
  denied: 'Have whoever runs the S3 look at the rights of this key, and at the clock of this machine.',
  no_bucket: 'Start the server again, which makes its buckets, or make them there; check S3_BUCKET_PREFIX.',
  full: 'Make room there.',
}

export function checkFiles({ endpoint, trouble }: FilesFound): Finding[] {
  if (!trouble) return fine('files', `The S3 at ${endpoint} has the buckets for the files.`)
  return problem('files', {
    what: `${trouble.what}.`,
    means: 'No mark is concerned; pictures and report cards can neither be stored nor read.',
    do: trouble.fault ? ADVICE[trouble.fault] : 'Send this line to whoever runs the S3.',
  })
}
