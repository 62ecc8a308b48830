import { failures } from '@markbook/shared/failures'

const SUPPORTED = ['1'] as const
type Version = (typeof SUPPORTED)[number]

const versionFailures = failures('', {
  unsupportedVersion: [400, `This version of the interface is not supported. Supported: ${SUPPORTED.join(', ')}.`],
})

/**
 * What a version changes in the replies of an endpoint (`resource.name`); the stored shape is version 1's, so its table is
 * empty. A further version is one entry here.
 */
const transformers: Record<Version, Readonly<Record<string, (reply: never) => unknown>>> = { '1': {} }

/** The version a client asks for in X-API-Version; 1 where it says nothing (specification, «Versioning»). */
export function versionOf(header: string | null | undefined): Version {
  const asked = header ?? '1'
  const known = SUPPORTED.find((version) => version === asked)
  if (!known) throw versionFailures.unsupportedVersion()
  return known
}

/** True where a version changes the replies of an endpoint. */
export const isShaped = (version: Version, endpoint: string): boolean => endpoint in transformers[version]

export const shaped = (version: Version, endpoint: string, reply: unknown): unknown =>
  transformers[version][endpoint]?.(reply as never) ?? reply
