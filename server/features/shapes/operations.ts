import { EXISTENCE, type Stamp, textToVersions } from '@markbook/sync/versions'
import type { Operation } from './messages.ts'
import type { Position } from './offsets.ts'
import type { Scope } from './scope.ts'
import type { ShapeRequest } from './shape-request.ts'
import type { AnyRow } from './shape-tables.ts'
import type { Entry } from './shapes.queries.ts'

/** A shape as one reader follows it; `began` is where the feed of the school stood when they did. */
export type Reader = Pick<ShapeRequest, 'table' | 'columns' | 'where'> & { school: string; nodeId: string; scope: Scope; began: number }
/** A row, or null where it was deleted, with what the feed says of it. `again`: the reader has been told of it before. */
export type Found = { entry: Entry; row: AnyRow | null; again: boolean }
/** The class that a row is read by, and the write that put it there; null where it is not read so, or never moves. */
export type ClassPlace = { id: string | null; stamp: Stamp | null }
/** `isAnew`: the row was there before, deleted, and made anew since. */
export type Facts = { place: ClassPlace; isAnew: boolean }

/** Of a first copy: the reader cannot have the row. */
export const isFirst = ({ began }: Reader, { entry, again }: Found): boolean => !again && entry.seq <= began

/**
 * What a reader is told of a row, if anything. Nobody remembers what a reader has; it follows from where they stand in the feed
 * (docs/design/shapes.md). What was made here since is new to them. Of what was not, the whole row is an update; and what is not theirs now
 * is a deletion, unless it cannot have been theirs then.
 */
export function operationFor(reader: Reader, from: Position, found: Found, { place, isAnew }: Facts): Operation | null {
  const { nodeId, scope, where, table } = reader
  const { row, again } = found
  const isNew = isFirst(reader, found) || (!again && !isAnew && isMadeSince(nodeId, from, found))
  const isInClass = scope.classes === null || (place.id !== null && scope.classes.has(place.id))
  const isMeant = row !== null && (where === null || where.holds(table.shown(row)) === true)
  if (isInClass && isMeant) return isNew ? 'insert' : 'update'
  if (isNew || (!isInClass && !hasMoved(reader, from, place))) return null
  return row !== null && !isMeant && isLasting(reader) ? null : 'delete'
}

/** Made here, after everything that the reader has: by another node it may have been made long before it came here. */
export function isMadeSince(nodeId: string, { next, upTo }: Position, { entry, row }: Found): boolean {
  const { vv, units } = textToVersions(entry)
  const [node, counter = 0] = units[EXISTENCE] ?? []
  const isOwn = row !== null && node === nodeId && Object.keys(vv).length === 1
  return isOwn && (counter > next || (counter === next && (upTo === null || entry.seq === counter)))
}

/** False where the row has been in its class since before the reader came here. */
function hasMoved({ table, nodeId }: Reader, { next }: Position, { stamp }: ClassPlace): boolean {
  if (table.classUnit === null) return false
  return stamp === null || stamp[0] !== nodeId || stamp[1] >= next
}

/** Whether the condition speaks only of what a row keeps for good, so that what is not meant now never was. */
const isLasting = ({ table, where }: Reader): boolean => where !== null && [...where.columns].every((column) => table.lasting.has(column))
