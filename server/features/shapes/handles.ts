import { createHash } from 'node:crypto'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'

/**
 * What a handle stands for: this incarnation of the database, a school, a shape of it, and what the reader may see there. A reader whose
 * handle stands for something else has to begin anew.
 */
export type Meaning = { nodeId: string; school: string; shape: string; scope: string }

const digestOf = ({ nodeId, school, shape, scope }: Meaning): string =>
  createHash('sha256')
    .update(JSON.stringify([SCHEMA_VERSION, nodeId, school, shape, scope]))
    .digest('hex')
    .slice(0, 32)

/**
 * `<seal>-<began>-<nonce>`. `began`: where the feed stood when the reader began; rows up to there it gets for the first time. The nonce
 * makes every handle new, because clients remember those that ended and take no reply that bears one.
 */
export const newHandle = (meaning: Meaning, began: number, nonce: string): string => `${digestOf(meaning)}-${began}-${nonce}`

const HANDLE = /^([0-9a-f]{32})-(\d{1,15})-[0-9a-f]{1,32}$/

/** Where its reader began, or null for a handle that does not stand for this. */
export function beganWith(handle: string, meaning: Meaning): number | null {
  const match = HANDLE.exec(handle)
  return match?.[1] === digestOf(meaning) ? Number(match[2]) : null
}
