import type { Standing } from '../migrate.ts'

/** Asks a database; `text` holds no values but ids of our own. */
export type Ask = (text: string) => Promise<Record<string, unknown>[]>

/** What can be wrong within a database that can be opened. `count` says how many rows or places. */
export type Damage = {
  kind: 'pages' | 'orphans' | 'versions' | 'history' | 'checksums'
  count: number
  /** For whoever is asked for help: what the database itself said. */
  detail: string
}

/** When a node wrote its newest entry, ms since 1970, and what it is called here; null where no node that is known here bears its number. */
export type NewestOf = { name: string | null; by: string | null; at: number }
/**
 * When the newest entries of the history were written, ms since 1970. `at`: of all; `own`: of those that this database wrote, under
 * whichever of its numbers; `others`: of each other node, with its name, and `by`, the name of the node that told of it.
 */
export type Newest = { at: number | null; own: number | null; others: readonly NewestOf[] }

/**
 * What a database turned out to be. `newest`: when the newest entries of the history were written. Sizes in bytes:
 * `log` waits to be brought into the file, `unused` is room within the file that holds nothing.
 */
export type Read = {
  state: 'read'
  standing: Standing
  damage: readonly Damage[]
  newest: Newest
  size: number
  log: number
  unused: number
}
export type Soundness = { state: 'absent' } | Read | { state: 'unreadable' | 'refused' | 'unreachable' | 'no markbook'; detail: string }
