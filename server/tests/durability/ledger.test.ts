import { join } from 'node:path'
import { englishExam, mathsExam, pupilsOf3B } from '@markbook/shared/story/marks'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'
import { Ledger } from './ledger.ts'
import { bodyOf, nextBulk } from './marking.ts'

let st: School
let ledger: Ledger
const marking = { cookie: '', assessments: [mathsExam.id, englishExam.id], pupils: pupilsOf3B.map(({ id }) => id) }

beforeEach(async () => {
  st = await school()
  ledger = await Ledger.of(st.services.store)
  for (const size of [6, 4, 5]) {
    const bulk = nextBulk(marking, { size })
    ledger.send(bulk)
    await st.as.okafor.grades.bulk({ body: bodyOf(bulk) })
    ledger.acknowledged.add(bulk.name)
  }
})
afterEach(() => st.close())

const check = () => ledger.check(st.services.store)

/** What no transaction of ours does. */
function damage(text: string) {
  const file = new Database(join(st.database.folder, 'markbook.sqlite'))
  file.exec(`drop trigger history_no_update; drop trigger history_no_delete; ${text}`)
  file.close()
}

// A check that finds nothing must be one that would have found something.
describe.runIf(process.env['TEST_DATABASE'] === 'sqlite')('the ledger of bulks', () => {
  test('agrees with a database that holds all of them', async () => {
    await check()
    expect(ledger.names).toEqual([...ledger.acknowledged])
  })

  test('misses what was acknowledged', async () => {
    ledger.acknowledged.add('bulk 0')
    await expect(check()).rejects.toThrow('bulk 0 was acknowledged and is not there')
  })

  const last = "(select max(seq) from history where entity = 'grade')"
  test.each([
    ['a grade', `delete from grade where id = (select row_id from history where seq = ${last})`, /^a grade of bulk \d+ says nothing/],
    ['a mark', `update grade set score = 99.5 where remarks like 'bulk %'`, /^a grade of bulk \d+ says bulk/],
    ['a version', `delete from sync_row where seq = ${last}`, /^the version of a grade/],
    ['an entry of the history', `delete from history where id = (select max(id) from history where seq = ${last})`, /is torn: 4 of 5/],
    ['all of a bulk’s history', `delete from history where seq = ${last}`, /^the feed is at/],
    ['one in the middle', `delete from history where seq = ${last} - 1`, /is missing before/],
  ])('finds that %s is lost', async (_what, text, message) => {
    damage(text)
    await expect(check()).rejects.toThrow(message)
  })
})
