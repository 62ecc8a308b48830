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
const transformers: Record<Version, Readonly<Record<string, (reply: unknown) => unknown>>> = { '1': {} }

/** The version a client asks for in X-API-Version; 1 where it says nothing (specification, «Versioning»). */
export function versionOf(header: string | null | undefined): Version {
  const input = header ?? '1'
  const known = SUPPORTED.find((version) => version === input)
  if (!known) throw versionFailures.unsupportedVersion()
  return known
}

/** What makes a version's reply of an endpoint out of the stored shape; undefined where they are the same. */
export const transformerOf = (version: Version, endpoint: string) => transformers[version][endpoint]
