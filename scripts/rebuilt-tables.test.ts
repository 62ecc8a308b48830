import { expect, test } from 'vitest'
import { withoutMissingColumns } from './rebuilt-tables.ts'

const text = { notNull: true }
const before = { tables: { subject: { columns: { id: text, name: text } }, term: { columns: { id: text } } } }
const withHours = (column: { notNull: boolean; default?: unknown }) => ({
  tables: { ...before.tables, subject: { columns: { id: text, name: text, hours: column } } },
})
const migration = [
  'CREATE TABLE `__new_subject` (`id` text, `name` text, `hours` real);--> statement-breakpoint',
  'INSERT INTO `__new_subject`("id", "name", "hours") SELECT "id", "name", "hours" FROM `subject`;--> statement-breakpoint',
  'INSERT INTO `__new_term`("id") SELECT "id" FROM `term`;',
].join('\n')

test('a new column of a rebuilt table is null, or has its default; other columns are copied', () => {
  const corrected = (column: { notNull: boolean; default?: unknown }) => withoutMissingColumns(migration, before, withHours(column))
  expect(corrected({ notNull: false })).toBe(migration.replace('"hours" FROM', 'NULL FROM'))
  expect(corrected({ notNull: true, default: 0 })).toBe(migration.replace('"hours" FROM', '0 FROM'))
  expect(corrected({ notNull: true, default: "'none'" })).toBe(migration.replace('"hours" FROM', "'none' FROM"))
})

test('a new column that old rows cannot have is refused by name', () => {
  expect(() => withoutMissingColumns(migration, before, withHours({ notNull: true }))).toThrow(
    'subject.hours may not be null and has no default',
  )
})

test('a migration that rebuilds no table, adds no column, or was corrected by hand, stays', () => {
  const alter = 'ALTER TABLE `subject` ADD `hours` real;'
  expect(withoutMissingColumns(alter, before, withHours({ notNull: false }))).toBe(alter)
  const byHand = migration.replace('"hours" FROM', 'coalesce(1, 2) FROM')
  expect(withoutMissingColumns(byHand, before, withHours({ notNull: true }))).toBe(byHand)
  const unchanged = migration.replaceAll(', "hours"', '')
  expect(withoutMissingColumns(unchanged, before, before)).toBe(unchanged)
})
