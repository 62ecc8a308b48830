import { afterEach, beforeEach, expect, test } from 'vitest'
import { endConnections } from '../testing/database.ts'
import { type School, school } from '../testing/school.ts'
import { asSystem } from './tx.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test.skipIf(!onPostgres)(
  'a connection that is lost within a savepoint ends its transaction with 503, and nothing is sent on it',
  async () => {
    const { store } = st.services
    const ended = store.write(asSystem(), ({ connection }) => connection.attempt(() => connection.rows('select pg_sleep(20)', [])))
    await after(200)
    await Promise.all([expect(ended).rejects.toMatchObject({ status: 503, code: 'busy' }), endConnections(st.database.url)])
    // By then an error outside every promise would have been thrown.
    await after(100)
    expect(await store.read(asSystem(), ({ connection }) => connection.rows('select 3 as three', []))).toEqual([{ three: 3 }])
  },
)
