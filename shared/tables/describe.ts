import type { NaturalKind } from '../ids.ts'

/**
 * What replication needs to know of a table, declared beside it. Every column is in exactly one of `identity` (never
 * changes after creation), one of the `units` (columns that only make sense together, merged as one), `derived`
 * (recomputed from the row, never replicated) or `audit` (follows from the latest unit). A test proves it (sync.md, «Versions»).
 */
export type Description = {
  /** Where `school_id` comes from: `school` rows carry it, `self` is the school itself, `commons` belong to no school. */
  scope: 'school' | 'self' | 'commons'
  identity: readonly string[]
  /**
   * Where the id follows from other columns of the identity, of which: hashed as this kind; of a register, which has none, it is the id
   * that the column holds. A row that is made under another id is nobody's (docs/design/replication.md).
   */
  natural?: { kind?: NaturalKind; of: readonly string[] }
  /** Written at the school or the centre: a laptop writes no such row, and nobody takes one from it (docs/design/replication.md). */
  notOnLaptops?: true
  units: Readonly<Record<string, readonly string[]>>
  derived?: readonly string[]
  audit?: readonly string[]
  /** Computes the derived columns that follow from the row alone. */
  derive?: (row: Record<string, unknown>) => Record<string, unknown>
  /** Tables whose rows go when this row goes, one tombstone each: child table and its columns that hold this row's id. */
  cascade?: readonly { table: string; column: string }[]
  /**
   * The column of the identity that names the row together with which such rows are mostly written: their history lies together by it.
   * Absent where rows are written one by one (docs/design/store.md).
   */
  near?: string
  /**
   * Columns that hold a secret, encrypted with a key that only this node has: replication opens them here and seals them anew where
   * they arrive, and no history entry repeats them (docs/design/sign-in.md).
   */
  sealed?: readonly string[]
  /** Of each column of JSON: whether a value is one that the program can read. What comes from another node is asked. */
  json?: Readonly<Record<string, (value: unknown) => boolean>>
}

/** Of a table whose rows belong to a school (`ofSchool` of the columns). */
export const ofSchool = ({ identity, ...rest }: Omit<Description, 'scope'>): Description => ({
  scope: 'school',
  identity: ['id', 'school_id', ...identity],
  ...rest,
})

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
