import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import type Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memoryFolder } from '../testing/memory-folder.ts'
import { openFile } from './sqlite.file.ts'
import { serialised } from './sqlite.transactions.ts'

let folder: string
let writer: Database.Database
let reader: Database.Database
beforeEach(() => {
  folder = memoryFolder('markbook-transactions-')
  writer = openFile(join(folder, 'marks.sqlite'))
  writer.pragma('journal_mode = WAL')
  writer.pragma('foreign_keys = ON')
  writer.exec('create table assessment (id integer primary key)')
  writer.exec(
    'create table mark (id integer primary key, score text, assessment integer references assessment deferrable initially deferred)',
  )
  reader = openFile(join(folder, 'marks.sqlite'))
})
afterEach(() => {
  reader.close()
  writer.close()
  rmSync(folder, { recursive: true, force: true })
})

const stored = () => reader.prepare('select id from mark order by id').pluck().all()
const insert = (id: number, score = 'A') => writer.prepare('insert into mark (id, score) values (?, ?)').run(id, score)
const saves = (id: number) => async () => {
  insert(id)
  return id
}
const fails = (id: number) => async () => {
  insert(id)
  await Promise.resolve()
  throw new Error(`mark ${id} is refused`)
}

describe('works that are ready', () => {
  test('share one commit, and no promise is settled before it', async () => {
    const { run } = serialised(writer, 'begin immediate', 8)
    const seen: unknown[][] = []
    await Promise.all([1, 2, 3].map((id) => run(saves(id)).then(() => seen.push(stored()))))
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ])
  })

  test('come from later turns of the event loop too', async () => {
    const { run } = serialised(writer, 'begin immediate', 8)
    const first = run(saves(1)).then(stored)
    const second = new Promise((resolve) => setImmediate(() => resolve(run(saves(2)))))
    expect(await first).toEqual([1, 2])
    await second
  })

  test('are no more than the given number to a commit', async () => {
    const { run } = serialised(writer, 'begin immediate', 2)
    const seen = await Promise.all([1, 2, 3].map((id) => run(saves(id)).then(stored)))
    expect(seen[0]).toEqual([1, 2])
    expect(seen[2]).toEqual([1, 2, 3])
  })

  test('that are alone share with none', async () => {
    const { run } = serialised(writer, 'begin immediate', 8)
    const seen: unknown[][] = []
    const see = () => void seen.push(stored())
    await Promise.all([run(saves(1)).then(see), run(saves(2), { alone: true }).then(see), run(saves(3)).then(see)])
    expect(seen).toEqual([[1], [1, 2], [1, 2, 3]])
  })
})

test('no work joins a transaction that has lasted too long', async () => {
  const began = 1_000
  for (const [lasts, shared] of [
    [limits.groupCommitMs - 1, true],
    [limits.groupCommitMs, false],
  ] as const) {
    writer.exec('delete from mark')
    let now = began
    const { run } = serialised(writer, 'begin immediate', 8, () => now)
    const long = async () => {
      insert(2)
      now += lasts
      return 2
    }
    const seen: unknown[][] = []
    await Promise.all([saves(1), long, saves(3)].map((work) => run(work).then(() => seen.push(stored()))))
    expect(seen[1]).toEqual(shared ? [1, 2, 3] : [1, 2])
    expect(seen[2]).toEqual([1, 2, 3])
  }
})

test('what throws is rolled back alone, wherever it stands among the others', async () => {
  for (const refused of [0, 1, 2]) {
    writer.exec('delete from mark')
    const { run } = serialised(writer, 'begin immediate', 8)
    const outcomes = await Promise.allSettled([0, 1, 2].map((id) => run(id === refused ? fails(id) : saves(id))))
    expect(outcomes.map(({ status }) => status)).toEqual([0, 1, 2].map((id) => (id === refused ? 'rejected' : 'fulfilled')))
    expect(outcomes[refused]).toMatchObject({ reason: { message: `mark ${refused} is refused` } })
    expect(stored()).toEqual([0, 1, 2].filter((id) => id !== refused))
  }
})

test('where an error ends the whole transaction, nobody is told that a mark is saved, and the next one is', async () => {
  const { run } = serialised(writer, 'begin immediate', 8)
  writer.pragma('max_page_count = 5')
  const large = async () => void insert(2, 'A'.repeat(100_000))
  const outcomes = await Promise.allSettled([run(saves(1)), run(large), run(saves(3))])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  expect(outcomes[0]).toMatchObject({ reason: { code: 'SQLITE_FULL' } })
  expect(stored()).toEqual([3])
})

test('where the commit itself fails, all of its works fail and leave nothing', async () => {
  const { run } = serialised(writer, 'begin immediate', 8)
  const orphan = async () => void writer.prepare('insert into mark (id, assessment) values (2, 77)').run()
  const outcomes = await Promise.allSettled([run(saves(1)), run(orphan)])
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' } })
  expect(stored()).toEqual([])
  expect(await run(saves(1))).toBe(1)
})

test('a work begins when the one before it has ended, also where that waits for something else', async () => {
  const { run } = serialised(writer, 'begin immediate', 8)
  const steps: string[] = []
  const slowly = (name: string) => async () => {
    steps.push(`${name} begins`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    steps.push(`${name} ends`)
  }
  await Promise.all([run(slowly('one')), run(slowly('two'))])
  expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
})

test('any works leave what they would leave one after the other, each in a transaction of its own', async () => {
  const work = fc.record({
    marks: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 4 }),
    refused: fc.boolean(),
    waits: fc.nat({ max: 3 }),
    alone: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(work, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (works, together) => {
      writer.exec('delete from mark')
      const { run, idle } = serialised(writer, 'begin immediate', together)
      const done = works.map(({ marks, refused, waits, alone }) =>
        run(
          async () => {
            for (const id of marks) insert(id)
            for (let turn = 0; turn < waits; turn += 1) await new Promise(setImmediate)
            if (refused) throw new Error('refused')
          },
          { alone },
        ).then(
          () => true,
          () => false,
        ),
      )
      const kept = new Set<number>()
      const expected = works.map(({ marks, refused }) => {
        const fits = !refused && new Set(marks).size === marks.length && marks.every((id) => !kept.has(id))
        if (fits) for (const id of marks) kept.add(id)
        return fits
      })
      expect(await Promise.all(done)).toEqual(expected)
      await idle()
      expect(stored()).toEqual([...kept].sort())
    }),
    { numRuns: 60 },
  )
})
