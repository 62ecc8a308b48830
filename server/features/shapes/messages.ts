import type { AnyRow, ShapeColumn, ShapeTable } from './shape-tables.ts'

export type Operation = 'insert' | 'update' | 'delete'
type Text = string | null

/** A message of the protocol as sent: values are in Postgres text form, which the client parses by the schema. */
export type ChangeMessage = {
  key: string
  value: Record<string, Text>
  headers: { operation: Operation; relation: [string, string]; lsn?: string; op_position?: number; txids?: number[] }
}
export type ControlMessage = { headers: { control: 'up-to-date' | 'must-refetch'; global_last_seen_lsn?: string } }

const textOf = (value: unknown): Text => {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * A whole row, new or changed: its earlier values are not known. `place` is omitted for rows of a first copy, which belong to no
 * transaction.
 */
export function changeMessage(
  { name, shown }: Pick<ShapeTable, 'name' | 'shown'>,
  columns: readonly string[],
  operation: Operation,
  row: AnyRow,
  place: { readonly seq: number; readonly at: number } | null,
): ChangeMessage {
  const read = operation === 'delete' ? row : shown(row)
  const wanted = operation === 'delete' ? ['id'] : columns
  return {
    key: `"public"."${name}"/"${row.id}"`,
    value: Object.fromEntries(wanted.map((column) => [column, textOf(read[column])])),
    headers: {
      operation,
      relation: ['public', name],
      ...(place && { lsn: String(place.seq), op_position: place.at, txids: [place.seq] }),
    },
  }
}

/** `next`: the feed number from which the reader continues, followed by `_0`. */
export const upToDate = (next: number): ControlMessage => ({ headers: { control: 'up-to-date', global_last_seen_lsn: String(next) } })
export const MUST_REFETCH: readonly ControlMessage[] = [{ headers: { control: 'must-refetch' } }]

/** The description of the columns in the header `electric-schema`. */
export const schemaOf = ({ columns: known }: Pick<ShapeTable, 'columns'>, columns: readonly string[]): Record<string, ShapeColumn> =>
  Object.fromEntries(columns.map((column) => [column, known[column] as ShapeColumn]))
