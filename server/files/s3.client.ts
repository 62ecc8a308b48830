import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { S3Settings } from '../config.ts'
import { buckets } from './storage.ts'

/** The bucket of unfinished uploads. */
export const UPLOADS = 'uploads'

export const bucketName = ({ bucketPrefix }: S3Settings, bucket: string): string => bucketPrefix + bucket

/** Checksums only where they are required: not every S3 understands the newer trailing ones. */
export const clientConfig = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Settings, patience?: number): S3ClientConfig => ({
  endpoint,
  region,
  credentials: { accessKeyId, secretAccessKey },
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  maxAttempts: patience === undefined ? limits.storage.attempts : 1,
  requestHandler: {
    connectionTimeout: patience ?? limits.storage.connectTimeoutMs,
    requestTimeout: patience ?? limits.storage.requestTimeoutMs,
    throwOnRequestTimeout: true,
    socketTimeout: patience ?? limits.storage.requestTimeoutMs,
  },
})

const statusOf = (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode
const nameOf = (error: unknown) => String((error as { name?: string } | null)?.name)

export const isMissing = (error: unknown): boolean => statusOf(error) === 404 || ['NotFound', 'NoSuchKey'].includes(nameOf(error))
export const isConflict = (error: unknown): boolean => [409, 412].includes(statusOf(error) ?? 0)

/** Why an S3 does not take or give: `away` may pass by itself, the others need whoever runs it. Null: another error. */
export type S3Fault = 'away' | 'denied' | 'no_bucket' | 'full'

function faultOf(error: unknown): S3Fault | null {
  const [status, name] = [statusOf(error), nameOf(error)]
  // A quota may be answered with 403.
  if (status === 507 || ['QuotaExceeded', 'XMinioStorageFull'].includes(name)) return 'full'
  if (name === 'NoSuchBucket') return 'no_bucket'
  if (status === 401 || status === 403) return 'denied'
  const isAway = status === undefined ? error instanceof Error && 'code' in error : status >= 500 || status === 429
  return isAway || ['TimeoutError', 'NetworkingError', 'SlowDown', 'AggregateError'].includes(name) ? 'away' : null
}

/** The client's failure for an S3 that does not take or give; any other error is returned unchanged. */
export function toFailure(error: unknown): unknown {
  const fault = faultOf(error)
  if (fault === null) return error
  return fault === 'full' ? common.storageFull() : common.storageAway()
}

/** An S3 SDK with its client. */
export type S3 = { sdk: typeof import('@aws-sdk/client-s3'); client: S3Client; settings: S3Settings }

/** The SDK is large, and is loaded only where S3 is configured. `patience`: one try of so many ms, for who only looks. */
export async function openS3(settings: S3Settings, patience?: number): Promise<S3> {
  // Which versions of Node are supported is said by this program, and not at each start by one of its packages.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'
  const sdk = await import('@aws-sdk/client-s3')
  return { sdk, client: new sdk.S3Client(clientConfig(settings, patience)), settings }
}

/** A bucket that cannot be used. The message is one line for the operator. */
export class BucketFault extends Error {
  readonly fault: S3Fault | null

  constructor({ endpoint }: S3Settings, bucket: string, error: unknown) {
    const fault = faultOf(error)
    super(`The bucket ${bucket} at ${endpoint} cannot be used: ${fault ? said[fault] : (error as Error).message || nameOf(error)}`)
    this.fault = fault
  }
}

const said: Record<S3Fault, string> = {
  away: 'it cannot be reached',
  denied: 'it refuses the key of S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, which must read, write, list and delete there',
  no_bucket: 'it is not there',
  full: 'it is full',
}

/** Finds each bucket, and creates it where `make`. Throws `BucketFault` for the first that cannot be used. */
export async function findBuckets({ sdk, client, settings }: S3, { make }: { make: boolean }): Promise<void> {
  for (const bucket of [...buckets, UPLOADS]) {
    const Bucket = bucketName(settings, bucket)
    try {
      await client.send(new sdk.HeadBucketCommand({ Bucket })).catch((error: unknown) => {
        if (!isMissing(error) || !make) throw error
        return client.send(new sdk.CreateBucketCommand({ Bucket }))
      })
    } catch (error) {
      if (!isConflict(error)) throw new BucketFault(settings, Bucket, isMissing(error) ? { name: 'NoSuchBucket' } : error)
    }
  }
}
