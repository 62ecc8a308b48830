import type { BuildExtraConfigColumns, SQL } from 'drizzle-orm'
import type { PgTableExtraConfigValue } from 'drizzle-orm/pg-core'
import {
  type AnyPgColumn,
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  type PgColumnBuilderBase,
  type PgSchema,
  pgSchema,
  pgTable,
  primaryKey,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { type Changes, changesToText, textToChanges } from './changes.ts'
import type { Columns, DatabaseSchema } from './columns.sqlite.ts'

export const postgresSchemas = {
  student: pgSchema('student'),
  staff: pgSchema('staff'),
  grading: pgSchema('grading'),
  reporting: pgSchema('reporting'),
  sync: pgSchema('sync'),
}

/** Text that sorts and compares by bytes, as in SQLite, regardless of the server's locale. */
const bytewise = customType<{ data: string; driverData: string }>({ dataType: () => 'text COLLATE "C"' })

/** The string mode of `timestamptz` is not ISO (design/stack.md, traps); this type converts both ways. */
const isoInstant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: (value) => new Date(value).toISOString(),
})

const jsonText = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  fromDriver: (value) => JSON.parse(value),
  toDriver: (value) => JSON.stringify(value),
})

const changesText = customType<{ data: Changes; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  fromDriver: textToChanges,
  toDriver: changesToText,
})

type PgColumns = Record<string, PgColumnBuilderBase>
type Definition = { columns: PgColumns; rules: (table: BuildExtraConfigColumns<string, PgColumns, 'pg'>) => PgTableExtraConfigValue[] }
type Group = [AnyPgColumn, ...AnyPgColumn[]]

const words = {
  table: (place: DatabaseSchema, name: string, { columns, rules }: Definition) =>
    place === 'public' ? pgTable(name, columns, rules) : (postgresSchemas[place] as PgSchema).table(name, columns, rules),
  ofSchool: (place: DatabaseSchema, name: string, { columns, rules }: Definition) =>
    words.table(place, name, {
      columns: { id: uuid().notNull(), school_id: uuid().notNull(), ...columns },
      rules: (t) => [primaryKey({ columns: [t['school_id'] as AnyPgColumn, t['id'] as AnyPgColumn] }), ...rules(t)],
    }),
  uuid: () => uuid(),
  text: () => bytewise(),
  choice: () => bytewise(),
  flag: () => boolean(),
  int: () => integer(),
  bigint: () => bigint({ mode: 'number' }),
  decimal: () => doublePrecision(),
  day: () => date({ mode: 'string' }),
  instant: () => isoInstant(),
  json: () => jsonText(),
  changes: () => changesText(),
  key: (...columns: Group) => primaryKey({ columns }),
  unique: (name: string, on: Group, where?: SQL) => {
    // A constraint is part of CREATE TABLE, so foreign keys may refer to it at once; only a partial one must be an index.
    return where
      ? uniqueIndex(name)
          .on(...on)
          .where(where)
      : unique(name).on(...on)
  },
  index: (name: string, ...on: Group) => index(name).on(...on),
  indexWhere: (name: string, where: SQL, ...on: Group) =>
    index(name)
      .on(...on)
      .where(where),
  check,
  foreign: (name: string, columns: Group, foreignColumns: Group) => foreignKey<string, string, Group>({ name, columns, foreignColumns }),
}

export const postgresColumns = words as unknown as Columns
