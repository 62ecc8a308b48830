import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { S3Settings } from '../config.ts'
import { buckets } from './storage.ts'

/** The bucket of unfinished uploads. */
export const UPLOADS = 'uploads'

export const bucketName = ({ bucketPrefix }: S3Settings, bucket: string): string => bucketPrefix + bucket

/** Checksums only where they are required: not every S3 understands the newer trailing ones. */
export const clientConfig = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Settings): S3ClientConfig => ({
  endpoint,
  region,
  credentials: { accessKeyId, secretAccessKey },
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  maxAttempts: limits.storage.tries,
  requestHandler: {
    connectionTimeout: limits.storage.connect,
    requestTimeout: limits.storage.timeout,
    throwOnRequestTimeout: true,
    socketTimeout: limits.storage.timeout,
  },
})

const statusOf = (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode
const nameOf = (error: unknown) => String((error as { name?: string } | null)?.name)

export const isMissing = (error: unknown): boolean => statusOf(error) === 404 || ['NotFound', 'NoSuchKey'].includes(nameOf(error))
export const isConflict = (error: unknown): boolean => [409, 412].includes(statusOf(error) ?? 0)

/** The client's failure for an S3 that is unavailable or full; any other error is returned unchanged. */
export function toFailure(error: unknown): unknown {
  const status = statusOf(error)
  if (status === 507 || ['QuotaExceeded', 'XMinioStorageFull'].includes(nameOf(error))) return common.storageFull()
  const isUnavailable = status === undefined ? error instanceof Error && 'code' in error : status >= 500 || status === 429
  return isUnavailable || ['TimeoutError', 'NetworkingError', 'SlowDown', 'AggregateError'].includes(nameOf(error))
    ? common.storageAway()
    : error
}

/** An S3 SDK with its client. */
export type S3 = { sdk: typeof import('@aws-sdk/client-s3'); client: S3Client; settings: S3Settings }

/** The SDK is large, and is loaded only where S3 is configured. */
export async function openS3(settings: S3Settings): Promise<S3> {
  const sdk = await import('@aws-sdk/client-s3')
  return { sdk, client: new sdk.S3Client(clientConfig(settings)), settings }
}

/** Creates missing buckets. Throws one line for the operator where this S3 cannot be used. */
export async function ensureBuckets({ sdk, client, settings }: S3): Promise<void> {
  for (const bucket of [...buckets, UPLOADS]) {
    const Bucket = bucketName(settings, bucket)
    try {
      await client.send(new sdk.HeadBucketCommand({ Bucket })).catch((error: unknown) => {
        if (!isMissing(error)) throw error
        return client.send(new sdk.CreateBucketCommand({ Bucket }))
      })
    } catch (error) {
      if (isConflict(error)) continue
      throw new Error(`The bucket ${Bucket} at ${settings.endpoint} cannot be used: ${(error as Error).message || nameOf(error)}`)
    }
  }
}
