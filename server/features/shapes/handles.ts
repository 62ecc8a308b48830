import { createHash } from 'node:crypto'
import { SCHEMA_VERSION } from '@markbook/shared/tables/schema-version'

/**
 * What a handle is bound to: this incarnation of the database, a school, a shape of it, and what the reader may see. A reader whose handle
 * is bound to anything else has to start again.
 */
export type HandleScope = { nodeId: string; school: string; shape: string; scope: string }

const digestOf = ({ nodeId, school, shape, scope }: HandleScope): string =>
  createHash('sha256')
    .update(JSON.stringify([SCHEMA_VERSION, nodeId, school, shape, scope]))
    .digest('hex')
    .slice(0, 32)

/**
 * `<seal>-<began>-<nonce>`. `began`: the feed's position when the reader started; rows up to it are sent for the first time. The nonce
 * makes every handle new, because clients remember expired handles and ignore replies with one.
 */
export const newHandle = (meaning: HandleScope, began: number, nonce: string): string => `${digestOf(meaning)}-${began}-${nonce}`

const HANDLE = /^([0-9a-f]{32})-(\d{1,15})-[0-9a-f]{1,32}$/

/** The position at which the handle's reader started, or null for a handle that is not bound to this meaning. */
export function beganWith(handle: string, meaning: HandleScope): number | null {
  const match = HANDLE.exec(handle)
  return match?.[1] === digestOf(meaning) ? Number(match[2]) : null
}
