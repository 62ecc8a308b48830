import { common } from '@markbook/shared/failures'
import { offsetToPosition, type Position, START } from './offsets.ts'
import { type ShapeTable, shapeTables } from './shape-tables.ts'
import { type Condition, readWhere, WhereFault } from './where.ts'

/**
 * A parsed request for a shape. `from`: the reader's position; `head`: the end of the feed. `text` identifies the shape, so that requests
 * for the same one are recognised.
 */
export type ShapeRequest = {
  table: ShapeTable
  columns: readonly string[]
  where: Condition | null
  text: string
  from: Position | 'head'
  handle: string | null
  live: boolean
  events: boolean
}

const wrong = (path: string, message: string) => common.validationFailed({ issues: [{ path, message }] })

/** Throws 400 for unsupported parameters; the cache-busting one is ignored. */
export function readShapeRequest(search: URLSearchParams): ShapeRequest {
  const table = tableOf(search)
  const columns = columnsOf(search, table)
  const params = Object.fromEntries([...search].flatMap(([name, value]) => (PARAM.test(name) ? [[name.replace(PARAM, '$1'), value]] : [])))
  const where = search.get('where')
  if ([...search.keys()].some((name) => name.startsWith('subset__')))
    throw wrong('subset__where', 'is not served: follow the shape, with a condition in "where" if it is to be smaller')
  const replica = search.get('replica') ?? 'default'
  if (replica !== 'default' && replica !== 'full') throw wrong('replica', 'must be "default" or "full"')
  return {
    table,
    columns,
    where: where === null ? null : conditionOf(where, params, table),
    text: JSON.stringify([table.name, columns, where, where === null ? null : Object.entries(params).sort()]),
    ...placeOf(search),
  }
}

function tableOf(search: URLSearchParams): ShapeTable {
  const name = (search.get('table') ?? '').replace(/^(?:"?public"?\.)?"?([a-z_]+)"?$/, '$1')
  const table = shapeTables.get(name)
  if (!table) throw wrong('table', `must be one of ${[...shapeTables.keys()].join(', ')}`)
  return table
}

function columnsOf(search: URLSearchParams, { columns }: ShapeTable): readonly string[] {
  const all = Object.keys(columns)
  const text = search.get('columns')
  if (text === null) return all
  const named = text.split(',').map((name) => name.trim().replace(/^"(.*)"$/, '$1'))
  const unknown = named.find((name) => !all.includes(name))
  if (unknown !== undefined) throw wrong('columns', `names ${unknown}; there are ${all.join(', ')}`)
  if (!named.includes('id')) throw wrong('columns', 'must name id, by which rows are known')
  return all.filter((name) => named.includes(name))
}

const PARAM = /^params\[(\d{1,3})\]$/

function conditionOf(text: string, params: Record<string, string>, table: ShapeTable): Condition {
  try {
    return readWhere(text, params, table.columns)
  } catch (error) {
    if (error instanceof WhereFault) throw wrong('where', error.message)
    throw error
  }
}

/** A reader without a handle starts: with all rows, or with none where it wants changes only. */
function placeOf(search: URLSearchParams): Pick<ShapeRequest, 'from' | 'handle' | 'live' | 'events'> {
  const offset = search.get('offset') ?? ''
  const live = search.get('live') === 'true'
  const log = search.get('log') ?? 'full'
  if (log !== 'full' && log !== 'changes_only') throw wrong('log', 'must be "full" or "changes_only"')
  if (offset === '-1' || offset === 'now') {
    if (live) throw wrong('live', `cannot be asked for with offset ${offset}`)
    return { from: offset === 'now' || log === 'changes_only' ? 'head' : START, handle: null, live, events: false }
  }
  const from = offsetToPosition(offset)
  if (!from) throw wrong('offset', 'has an invalid format')
  const handle = search.get('handle')
  if (!handle) throw wrong('handle', 'cannot be left out once there is an offset')
  return { from, handle, live, events: live && (search.get('live_sse') ?? search.get('experimental_live_sse')) === 'true' }
}
