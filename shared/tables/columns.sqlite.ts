import type { BuildColumns, SQL } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteColumnBuilderBase, SQLiteTableExtraConfigValue } from 'drizzle-orm/sqlite-core'
import { check, customType, foreignKey, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { type Changes, changesToText, textToChanges } from './changes.ts'

/** Postgres schema a table lives in; SQLite has one namespace and ignores it. */
export type DatabaseSchema = 'public' | 'student' | 'staff' | 'grading' | 'reporting' | 'sync'
const schoolKey = () => ({ id: text().notNull(), school_id: text().notNull() })
type SchoolKey = ReturnType<typeof schoolKey>
type Definition<N extends string, C extends Record<string, SQLiteColumnBuilderBase>, K = unknown> = {
  columns: C
  rules: (table: BuildColumns<N, K & C, 'sqlite'>) => SQLiteTableExtraConfigValue[]
}
type Built<N extends string, C extends Record<string, SQLiteColumnBuilderBase>> = ReturnType<typeof sqliteTable<N, C>>

const changesText = customType<{ data: Changes; driverData: string }>({
  dataType: () => 'text',
  fromDriver: textToChanges,
  toDriver: changesToText,
})

/**
 * The column types with which every table is written. SQLite's types are the application's types; `columns.postgres.ts` has the same names
 * and is cast to these.
 */
export const sqliteColumns = {
  table: <N extends string, C extends Record<string, SQLiteColumnBuilderBase>>(
    _place: DatabaseSchema,
    name: N,
    { columns, rules }: Definition<N, C>,
  ): Built<N, C> => sqliteTable(name, columns, rules),
  /** A table whose rows belong to a school, with the primary key `(school_id, id)`. */
  ofSchool: <N extends string, C extends Record<string, SQLiteColumnBuilderBase>>(
    _place: DatabaseSchema,
    name: N,
    { columns, rules }: Definition<N, C, SchoolKey>,
  ): Built<N, SchoolKey & C> =>
    sqliteTable(name, { ...schoolKey(), ...columns }, (t) => [primaryKey({ columns: [t.school_id, t.id] }), ...rules(t)]),
  uuid: () => text(),
  text: () => text(),
  choice: <const V extends readonly [string, ...string[]]>(values: V) => text({ enum: values }),
  flag: () => integer({ mode: 'boolean' }),
  int: () => integer(),
  /** Whole numbers past 2^31: sequence numbers, milliseconds. */
  bigint: () => integer(),
  decimal: () => real(),
  /** `YYYY-MM-DD`. */
  day: () => text(),
  /** ISO 8601 UTC with milliseconds. */
  instant: () => text(),
  /** Stored as text on both databases, so that the bytes are preserved. */
  json: <T>() => text({ mode: 'json' }).$type<T>(),
  /** The changes of a history entry (`changes.ts`). */
  changes: () => changesText(),
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
    foreignKey<string, string, [AnySQLiteColumn, ...AnySQLiteColumn[]]>({ name, columns, foreignColumns }),
}

export type Columns = typeof sqliteColumns

export const timestamps = (c: Columns) => ({ created_at: c.instant().notNull(), updated_at: c.instant().notNull() })
