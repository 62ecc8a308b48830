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

/**
 * What a database turned out to be. `newestAt` is when the newest entry of the history was written, ms since 1970. Sizes in bytes:
 * `log` waits to be brought into the file, `unused` is room within the file that holds nothing.
 */
export type Read = {
  state: 'read'
  standing: Standing
  damage: readonly Damage[]
  newestAt: number | null
  size: number
  log: number
  unused: number
}
export type Soundness = { state: 'absent' } | Read | { state: 'unreadable' | 'refused' | 'unreachable' | 'no markbook'; detail: string }
