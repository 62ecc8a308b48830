import { EXISTENCE, type Stamp, textToVersions } from '@markbook/sync/versions'
import type { Operation } from './messages.ts'
import type { Position } from './offsets.ts'
import type { Scope } from './scope.ts'
import type { ShapeRequest } from './shape-request.ts'
import type { AnyRow } from './shape-tables.ts'
import type { Entry } from './shapes.queries.ts'

/** A shape as one reader follows it; `began`: the feed's position when they started. */
export type Reader = Pick<ShapeRequest, 'table' | 'columns' | 'where'> & { school: string; nodeId: string; scope: Scope; began: number }
/** A row, or null where it was deleted, with its version. `again`: the reader has received it before. */
export type Found = { entry: Entry; row: AnyRow | null; again: boolean }
/** The class by which a row is readable, and the stamp of the write that set it; null where it is not read by class, or never moves. */
export type ClassPlace = { id: string | null; stamp: Stamp | null }
/** `isAnew`: the row existed before, was deleted, and was created again since. */
export type Facts = { place: ClassPlace; isAnew: boolean }

/** Whether the row is part of the first copy, so the reader cannot have it. */
export const isFirst = ({ began }: Reader, { entry, again }: Found): boolean => !again && entry.seq <= began

/**
 * The message about a row, if any. The server does not store what a reader has; it follows from their position in the feed
 * (docs/design/shapes.md). A row created here since then is an insert. Any other row that they may see is an update with the whole row. A
 * row that they may not see is a delete, unless they cannot have seen it before.
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

/** Created here, after everything that the reader has. A row of another node may have been created long before it arrived here. */
export function isMadeSince(nodeId: string, { next, upTo }: Position, { entry, row }: Found): boolean {
  const { vv, units } = textToVersions(entry)
  const [node, counter = 0] = units[EXISTENCE] ?? []
  const isOwn = row !== null && node === nodeId && Object.keys(vv).length === 1
  return isOwn && (counter > next || (counter === next && (upTo === null || entry.seq === counter)))
}

/** False where the row was in its class before the reader started. */
function hasMoved({ table, nodeId }: Reader, { next }: Position, { stamp }: ClassPlace): boolean {
  if (table.classUnit === null) return false
  return stamp === null || stamp[0] !== nodeId || stamp[1] >= next
}

/** Whether the condition reads only columns that never change, so that a row that does not match now never did. */
const isLasting = ({ table, where }: Reader): boolean => where !== null && [...where.columns].every((column) => table.lasting.has(column))
