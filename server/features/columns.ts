import { getTableColumns, type Table } from 'drizzle-orm'

type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : Field

/** The fields of a request body under the names of their columns. */
export type Columns<Body> = { [Field in keyof Body as ColumnName<Field & string>]: Exclude<Body[Field], undefined> }

/** The column of a field: `max_score` for `maxScore`. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What a request body says, by column. A field that is absent or undefined gives no column, so that the row keeps its value. */
export function columnsOf<Body extends object>(body: Body): Columns<Body> {
  const stated = Object.entries(body).filter(([, value]) => value !== undefined)
  return Object.fromEntries(stated.map(([field, value]) => [columnOf(field), value])) as Columns<Body>
}

/** These columns of a table, to be selected: `pick(t.student, 'id', 'last_name')`. */
export const pick = <T extends Table, C extends keyof T['_']['columns']>(table: T, ...names: C[]): Pick<T['_']['columns'], C> => {
  const columns = getTableColumns(table)
  return Object.fromEntries(names.map((name) => [name, columns[name as string]])) as Pick<T['_']['columns'], C>
}
