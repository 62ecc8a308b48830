import { and, type Column, eq, type GetColumnData, type SQL, type SQLWrapper, type Table } from 'drizzle-orm'

type Values<T extends Table> = {
  [C in keyof T['_']['columns']]?: NonNullable<GetColumnData<T['_']['columns'][C], 'raw'>> | SQLWrapper
}

/** The condition that these columns have these values: `matches(t.term, { school_id: p.school, id: p.id })`. */
export const matches = <T extends Table>(table: T, values: Values<T>): SQL | undefined => {
  const columns = table as unknown as Record<string, Column>
  return and(...Object.entries(values).map(([name, value]) => eq(columns[name] as Column, value)))
}

/** Selects columns of a table, or values of a row: `pick(t.student, 'id', 'last_name')`. */
export const pick = <T extends object, K extends keyof T>(of: T, ...names: K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<T, K>
