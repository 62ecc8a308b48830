import type { Columns } from './columns.sqlite.ts'
import { defineTables, type Replicated } from './tables.ts'

const kinds = ['uuid', 'text', 'choice', 'flag', 'int', 'bigint', 'decimal', 'day', 'instant', 'json'] as const
export type Kind = (typeof kinds)[number]

/** A stand-in for a column that records only its kind. */
class KindOnly {
  constructor(readonly kind: Kind) {}
  notNull = () => this
  default = () => this
}

type Definition = { columns: Readonly<Record<string, KindOnly>> }
const columnKit = {
  ...Object.fromEntries(kinds.map((kind) => [kind, () => new KindOnly(kind)])),
  table: (_place: string, _name: string, { columns }: Definition) =>
    Object.fromEntries(Object.entries(columns).map(([name, { kind }]) => [name, kind])),
  ofSchool: (place: string, name: string, { columns }: Definition) =>
    columnKit.table(place, name, { columns: { id: new KindOnly('uuid'), school_id: new KindOnly('uuid'), ...columns } }),
  changes: () => new KindOnly('json'),
}

/** The kind of each column of every replicated table, computed from the same definitions as the tables of both databases. */
export const kindsOf = defineTables(columnKit as unknown as Columns) as unknown as Record<Replicated, Readonly<Record<string, Kind>>>
