import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { repeatableIds, testClock } from '../testing/clock.ts'
import { type DatabaseName, openTestDatabase, type TestDatabase } from '../testing/database.ts'
import { isUniqueViolation } from './errors.ts'
import { asSystem, type WriteTx } from './tx.ts'

const database = process.env['TEST_DATABASE'] as DatabaseName
const clock = testClock()
let at: TestDatabase

beforeAll(async () => {
  at = await openTestDatabase(database, { clock, newId: repeatableIds(clock) }, database === 'postgres' ? inject('postgresUrl') : '')
})
afterAll(() => at.drop())

const onPostgres = database === 'postgres'
/** Rows of a table without any logic of the change tracker. */
const put = (tx: WriteTx, key: string) =>
  tx.connection.run(onPostgres ? 'insert into kept (key) values ($1)' : 'insert into kept (key) values (?)', [key])
const kept = (tx: Pick<WriteTx, 'connection'>) => tx.connection.rows<{ key: string }>('select key from kept order by key', [])
const written = <T>(work: (tx: WriteTx) => Promise<T>) => at.store.write(asSystem(), work)

test('a failed attempt is undone alone, and the transaction commits the rest', async () => {
  await written(async (tx) => {
    if (onPostgres) await tx.connection.run('set role none', [])
    await tx.connection.run('create table kept (key text primary key)', [])
    if (onPostgres) await tx.connection.run('grant select, insert on kept to markbook_system', [])
  })
  const failure = await written(async (tx) => {
    await put(tx, 'before')
    const failed = await tx.connection
      .attempt(async () => {
        await put(tx, 'with it')
        await put(tx, 'before')
      })
      .catch((error: unknown) => error)
    await tx.connection.attempt(() => put(tx, 'after'))
    return failed
  })
  expect(isUniqueViolation(failure)).toBe(true)
  const rows = await at.store.read(asSystem(), (tx) => kept(tx))
  expect(rows.map(({ key }) => key)).toEqual(['after', 'before'])
})

test('a nested attempt undoes only its own writes', async () => {
  await written((tx) =>
    tx.connection.attempt(async () => {
      await put(tx, 'outer')
      await tx.connection.attempt(() => put(tx, 'outer')).catch(() => null)
    }),
  )
  const rows = await at.store.read(asSystem(), (tx) => kept(tx))
  expect(rows.map(({ key }) => key)).toContain('outer')
})
