import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { expect, test } from 'vitest'

const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
)

test('a table of which no route deletes rows is declared so, since a laptop may delete the others', () => {
  const removed = new Set(
    sources.flatMap((name) =>
      [...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(/\btx\.remove\(\s*'(\w+)'/g)].map(([, table]) => table),
    ),
  )
  expect(removed.size).toBeGreaterThan(10)
  const tables = Object.keys(descriptions) as Replicated[]
  const declared = tables.filter((table) => descriptions[table].notDeletedAlone?.({}))
  expect(declared).toEqual(tables.filter((table) => !removed.has(table)))
})
