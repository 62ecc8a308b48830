import type { SQL } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteColumnBuilderBase, SQLiteTableExtraConfigValue } from 'drizzle-orm/sqlite-core'
import { check, foreignKey, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Postgres schema a table lives in; SQLite has one namespace and ignores it. */
export type Place = 'public' | 'student' | 'staff' | 'grading' | 'reporting' | 'sync'
type Built<N extends string, C extends Record<string, SQLiteColumnBuilderBase>> = ReturnType<typeof sqliteTable<N, C>>

/**
 * The words in which every table is written. SQLite's types are the application's types; `columns.postgres.ts` has the
 * same words and is cast to these.
 */
export const sqliteColumns = {
  table: <N extends string, C extends Record<string, SQLiteColumnBuilderBase>>(
    _place: Place,
    name: N,
    columns: C,
    extra: (table: Built<N, C>) => SQLiteTableExtraConfigValue[],
  ): Built<N, C> => sqliteTable(name, columns, extra as never),
  uuid: () => text(),
  text: () => text(),
  choice: <const V extends readonly [string, ...string[]]>(values: V) => text({ enum: values as unknown as [V[number], ...V[number][]] }),
  flag: () => integer({ mode: 'boolean' }),
  int: () => integer(),
  /** Whole numbers past 2^31: sequence numbers, milliseconds. */
  bigint: () => integer(),
  decimal: () => real(),
  /** `YYYY-MM-DD`. */
  day: () => text(),
  /** ISO 8601 UTC with milliseconds. */
  instant: () => text(),
  /** Kept as text on both databases, so that the bytes that went in come out. */
  json: <T>() => text({ mode: 'json' }).$type<T>(),
  key: (...columns: [AnySQLiteColumn, ...AnySQLiteColumn[]]) => primaryKey({ columns }),
  unique: (name: string, on: [AnySQLiteColumn, ...AnySQLiteColumn[]], where?: SQL) => {
    const built = uniqueIndex(name).on(...on)
    return where ? built.where(where) : built
  },
  index: (name: string, ...on: [AnySQLiteColumn, ...AnySQLiteColumn[]]) => index(name).on(...on),
  indexWhere: (name: string, where: SQL, ...on: [AnySQLiteColumn, ...AnySQLiteColumn[]]) =>
    index(name)
      .on(...on)
      .where(where),
  check,
  foreign: (name: string, columns: [AnySQLiteColumn, ...AnySQLiteColumn[]], foreignColumns: [AnySQLiteColumn, ...AnySQLiteColumn[]]) =>
    foreignKey({ name, columns, foreignColumns } as never),
}

export type Columns = typeof sqliteColumns
