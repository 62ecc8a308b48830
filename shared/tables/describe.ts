import type { NaturalKind } from '../ids.ts'

/**
 * The declaration of a table for replication. Every column is in exactly one of `identity` (never changes after creation), one of the
 * `units` (columns that only make sense together, merged as one), `derived` (computed from the row, never replicated) or `audit` (follows
 * from the latest unit). A test proves it (sync.md, «Versions»).
 */
export type Description = {
  /** Where the school of a row comes from: `school` rows have a `school_id`, `self` is the school itself, `commons` belong to no school. */
  scope: 'school' | 'self' | 'commons'
  identity: readonly string[]
  /**
   * Present where the id is computed from other columns of the identity. `of`: those columns, hashed with `kind`. A register has no
   * `kind`: its id is the id in that column. Rows with another id are refused (docs/design/replication.md).
   */
  natural?: { kind?: NaturalKind; of: readonly string[] }
  /** Rows are written only at the school or the centre, and never accepted from a laptop (docs/design/replication.md). */
  notOnLaptops?: true
  /**
   * Rows that no route deletes by themselves, by their values: such a row goes only with a row whose `cascade` contains it, or never. A
   * parent takes no other deletion from a laptop (docs/design/replication.md). A test compares it with the routes.
   */
  notDeletedAlone?: (row: Record<string, unknown>) => boolean
  units: Readonly<Record<string, readonly string[]>>
  /** Units that no route changes after the creation of a row; a parent takes no change of them from a laptop. */
  unchanged?: readonly string[]
  derived?: readonly string[]
  audit?: readonly string[]
  /** Computes the derived columns that follow from the row alone. */
  derive?: (row: Record<string, unknown>) => Record<string, unknown>
  /** The tables whose rows are deleted with this row, one tombstone each: child table, and its column that holds this row's id. */
  cascade?: readonly { table: string; column: string }[]
  /**
   * The identity column by which the history of such rows is clustered, since rows that share it are mostly written together. Absent where
   * rows are written one by one (docs/design/store.md).
   */
  near?: string
  /**
   * Columns with a secret that is encrypted with a key of this node. Replication decrypts them before sending and the receiver encrypts
   * them again; no history entry contains them (docs/design/sign-in.md).
   */
  sealed?: readonly string[]
  /** For each JSON column: whether the program can read a value. Applied to values from other nodes. */
  json?: Readonly<Record<string, (value: unknown) => boolean>>
}

/** For a table of which no route deletes a row by itself. */
export const always = (): boolean => true

/** Description of a table whose rows belong to a school (`ofSchool` of the columns). */
export const ofSchool = ({ identity, ...rest }: Omit<Description, 'scope'>): Description => ({
  scope: 'school',
  identity: ['id', 'school_id', ...identity],
  ...rest,
})

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
