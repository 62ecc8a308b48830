import { failures } from '@markbook/shared/failures'

const SUPPORTED = ['1'] as const
type Version = (typeof SUPPORTED)[number]

const versionFailures = failures('', {
  unsupportedVersion: [400, `This version of the interface is not supported. Supported: ${SUPPORTED.join(', ')}.`],
})

/**
 * The changes of a version to the replies of an endpoint (`resource.name`). The stored form is version 1's, so its table is empty. A
 * further version is one entry here.
 */
const transformers: Record<Version, Readonly<Record<string, (reply: unknown) => unknown>>> = { '1': {} }

/** The version requested in X-API-Version; 1 without the header (specification, «Versioning»). */
export function versionOf(header: string | null | undefined): Version {
  const input = header ?? '1'
  const known = SUPPORTED.find((version) => version === input)
  if (!known) throw versionFailures.unsupportedVersion()
  return known
}

/** Converts the stored form into a version's reply; undefined where they are the same. */
export const transformerOf = (version: Version, endpoint: string) => transformers[version][endpoint]
