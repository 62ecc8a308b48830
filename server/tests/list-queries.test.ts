import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Compiled } from '../store/compiled.ts'
import { asSystem, type ReadTx } from '../store/tx.ts'
import { school } from '../testing/school.ts'

/**
 * These tables have no index by class, or by year. The queries read the assignments of the school from one index, without the rows; a
 * roll-over reads the places of its pupils once.
 */
const WITHOUT_AN_INDEX = ['activeInYears', 'givenIn', 'subjectTeachersOfClasses', 'takersInClasses']

const features = join(import.meta.dirname, '..', 'features')
async function queriesOfFeatures(): Promise<[name: string, query: unknown][]> {
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.queries.ts'))
  const modules: Record<string, unknown>[] = await Promise.all(files.map((file) => import(join(features, file))))
  return modules.flatMap((module) => Object.entries(module)).filter(([, query]) => typeof query === 'function')
}

const nothing = new Proxy({}, { has: () => true, get: () => null })

/** The text of a query as SQLite gets it; empty for a function that is no `statement`. */
async function textOf(tx: ReadTx, query: unknown): Promise<string> {
  let text = ''
  const ready = (recipe: object) => {
    text = (recipe as Compiled).text ?? (recipe as { query?: { sql: string } }).query?.sql ?? ''
    return tx.connection.ready(recipe)
  }
  const watched = { ...tx, connection: { ...tx.connection, prepared: new Map(), ready } }
  await (query as (tx: ReadTx, params: object) => Promise<unknown>)(watched, nothing).catch(() => {})
  return text
}

const planOf = async (tx: ReadTx, text: string): Promise<string[]> => {
  const params = Array.from(text.matchAll(/\?/g), () => null)
  return (await tx.connection.rows<{ detail: string }>(`explain query plan ${text}`, params)).map(({ detail }) => detail)
}

const isSqlite = process.env['TEST_DATABASE'] === 'sqlite'

const ofWholeSchool = /^SEARCH .*\(school_id=\?\)|^SCAN (?!json_each)/

test.runIf(isSqlite)('a query for a list finds its rows by the list, in a school of any size', async () => {
  const st = await school()
  const found = await st.services.store.read(asSystem(), async (tx) => {
    const plans: [name: string, plan: string[]][] = []
    for (const [name, query] of await queriesOfFeatures()) {
      const text = await textOf(tx, query)
      if (text.includes('json_each')) plans.push([name, await planOf(tx, text)])
    }
    return plans
  })
  expect(found.length).toBeGreaterThan(20)
  const reading = found.filter(([, plan]) => plan.some((step) => /\(school_id=\?\)|SCAN (?!json_each)/.test(step)))
  expect(reading.map(([name]) => name).sort()).toEqual(WITHOUT_AN_INDEX)
  await st.close()
})

/**
 * SQLite knows that each joined row is of the school, and where it has no better way it looks each up among all that the school has: so
 * many rows times so many, which took minutes for the remarks of 700 report books.
 */
test.runIf(isSqlite)('no join reads two tables of a school whole, row by row', async () => {
  const st = await school()
  const found = await st.services.store.read(asSystem(), async (tx) => {
    const plans: [name: string, plan: string[]][] = []
    for (const [name, query] of await queriesOfFeatures()) {
      const text = await textOf(tx, query)
      if (/ join /.test(text)) plans.push([name, await planOf(tx, text)])
    }
    return plans
  })
  expect(found.length).toBeGreaterThan(40)
  expect(found.filter(([, plan]) => plan.filter((step) => ofWholeSchool.test(step)).length > 1)).toEqual([])
  await st.close()
})
