import { naturalId } from '@markbook/shared/ids'
import { oisin } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import type { Replicated } from '@markbook/shared/tables/tables'
import type { RowState } from '@markbook/sync/merge/state'
import type { Carried } from '@markbook/sync/protocol/page'
import type { Stamp } from '@markbook/sync/versions'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { laptopOf } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'

/** The class teacher of 3B says of rows of 3A that they are of 3B. */
const open: School[] = []
let server: School
let laptop: School
beforeEach(async () => {
  server = await school({ seed: 'server' })
  open.push(server)
  await (await signedIn(server, 'quinn')).reports.generate({
    body: { studentGroupId: class3A.id, termId: michaelmas.id, reportType: 'term' },
  })
  ;({ laptop } = await laptopOf(open, server, people.byrne.id))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const BOOK = naturalId('report_book', oisin.id, michaelmas.id, 'term')
const PLACE = naturalId('enrolment', oisin.id, thisYear.id)
const rowAt = async (table: 'report_book' | 'enrolment', id: string) => (await server.rows(table)).find((each) => each.id === id)
const byByrne = ([node, counter, hlc]: Stamp): Stamp => [node, counter, hlc, people.byrne.id]

/** What Mr Byrne's laptop says instead of an honest change to a book of his class; `own`: the stamp of that change. */
async function says(make: (own: Stamp, honest: RowState) => Carried): Promise<void> {
  await (await signedIn(laptop, 'byrne')).reports.update({ params: { id: draftReport.id }, body: { conduct: 'Good' } })
  const altered = await liar(laptop, server)
  await altered.says(({ table, state }) => {
    const stamp = state.units['conduct']
    return table === ('report_book' as Replicated) && state.id === draftReport.id && stamp ? [make(byByrne(stamp), state)] : []
  })
}

const place = (own: Stamp, { schema }: RowState): Carried => {
  const values = {
    ...{ id: PLACE, school_id: class3B.school_id, student_id: oisin.id, academic_year_id: thisYear.id },
    ...{ student_group_id: class3B.id, enrolled_at: '2026-01-12T08:00:00.000Z' },
  }
  return {
    table: 'enrolment',
    state: { id: PLACE, schema, vv: { [own[0]]: own[1] }, units: { place: own }, alive: [[own[0], own[1]]], values, extra: null },
  }
}

describe('of another class', () => {
  test('a pupil does not come into the own', async () => {
    const before = await rowAt('enrolment', PLACE)
    await says(place)
    expect(await rowAt('enrolment', PLACE)).toEqual(before)
    expect(await server.rows('sync_conflict')).toEqual([])
  })

  test('a report book is not written, published nor moved', async () => {
    const before = await rowAt('report_book', BOOK)
    expect(before).toMatchObject({ student_group_id: class3A.id, status: 'draft' })
    await says((own, honest) => {
      const { student_id, id } = before as { student_id: string; id: string }
      const values = { ...honest.values, id, student_id, status: 'published', class_teacher_remark: 'Forged.' }
      const units = { ...honest.units, student_group_id: own, status: own, class_teacher_remark: own }
      return { table: 'report_book', state: { ...honest, id, values, vv: { ...honest.vv, [own[0]]: own[1] }, units } }
    })
    expect(await rowAt('report_book', BOOK)).toEqual(before)
  })

  test('nor made', async () => {
    const student_id = oisin.id
    const term_id = naturalId('term', thisYear.id, 'hilary')
    const id = naturalId('report_book', student_id, term_id, 'term')
    await says((own, honest) => {
      const units = Object.fromEntries(Object.keys(honest.units).map((unit) => [unit, own]))
      const values = { ...honest.values, id, student_id, term_id, status: 'published', created_by: people.byrne.id }
      return { table: 'report_book', state: { ...honest, id, values, vv: { [own[0]]: own[1] }, units, alive: [[own[0], own[1]]] } }
    })
    expect(await rowAt('report_book', id)).toBeUndefined()
  })
})

test('a book follows a pupil who came into the class', async () => {
  const head = await signedIn(server, 'okafor')
  await head.classes.unenroll({ params: { id: class3A.id, studentId: oisin.id } })
  await head.classes.enroll({ params: { id: class3B.id }, body: { studentId: oisin.id } })
  const { laptop: second, link } = await laptopOf(open, server, people.byrne.id, 'second')
  second.clock.advance(60_000)
  const byrne = await signedIn(second, 'byrne')
  await byrne.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
  await link.round()
  expect(await rowAt('report_book', BOOK)).toMatchObject({ student_group_id: class3B.id })
})
