type ColumnName<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${ColumnName<Rest>}`
  : Field

/** The fields of a request body under their column names. */
export type Columns<Body> = { [Field in keyof Body as ColumnName<Field & string>]: Exclude<Body[Field], undefined> }

/** The column of a field: `max_score` for `maxScore`. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The values of a request body by column. An absent or undefined field gives no column, so that the row keeps its value. */
export function columnsOf<Body extends object>(body: Body): Columns<Body> {
  const stated = Object.entries(body).filter(([, value]) => value !== undefined)
  return Object.fromEntries(stated.map(([field, value]) => [columnOf(field), value])) as Columns<Body>
}
