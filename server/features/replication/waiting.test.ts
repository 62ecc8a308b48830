import { naturalId } from '@markbook/shared/ids'
import { elan, hilltopExam, mathsExam, mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import type { DatabaseName } from '../../testing/database.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { lineOf, signedIn, type UnderParent } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import type { School } from '../../testing/school.ts'

let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  // Requests go to the lower node, which also uses the database of this run.
  ;({ centre, box, link } = await centreAndSchool([], process.env['TEST_DATABASE'] as DatabaseName))
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

const gradeId = naturalId('grade', mathsExam.id, zoe.id)

describe('GET /api/sync/waiting', () => {
  test('lists what was written here until the parent has it: what, by whom, when', async () => {
    const ada = await signedIn(box, 'ada')
    expect(await ada.replication.waiting()).toEqual([])
    box.clock.advance(60_000)
    await ada.grades.update({ params: { id: gradeId }, body: { score: 81 } })
    const at = new Date(box.clock.now()).toISOString()
    expect(await ada.replication.waiting()).toEqual([
      {
        entity: 'grade',
        row_id: gradeId,
        where: expect.stringContaining('Mathematics'),
        value: { score: 81 },
        out_of: 100,
        deleted: false,
        at,
        actor: { id: people.ada.id, first_name: 'Ada', last_name: 'Nowak' },
      },
    ])
    await link.round()
    expect(await ada.replication.waiting()).toEqual([])
  })

  test('in the order in which it goes, and only what is asked for', async () => {
    const ada = await signedIn(box, 'ada')
    await ada.grades.update({ params: { id: gradeId }, body: { score: 81 } })
    await ada.assessments.update({ params: { id: mathsQuiz.id }, body: { title: 'Quiz one' } })
    const entities = async (query: { entity?: string; assessmentId?: string }) =>
      (await ada.replication.waiting({ query })).map(({ entity }) => entity)
    expect(await entities({})).toEqual(['grade', 'assessment'])
    expect((await ada.replication.waiting()).map(({ value }) => value)).toEqual([{ score: 81 }, null])
    expect(await entities({ entity: 'assessment' })).toEqual(['assessment'])
    expect(await entities({ assessmentId: mathsExam.id })).toEqual(['grade'])
    expect(await entities({ assessmentId: mathsQuiz.id })).toEqual([])
    expect(await entities({ assessmentId: mathsExam.id, entity: 'assessment' })).toEqual([])
  })

  test('marks a deletion; an open conflict has the author, time and row of its kept value', async () => {
    const head = await signedIn(box, 'okafor')
    box.clock.advance(60_000)
    const at = new Date(box.clock.now()).toISOString()
    await head.assessments.remove({ params: { id: mathsQuiz.id } })
    const gone = await head.replication.waiting()
    expect(gone.length).toBeGreaterThan(1)
    expect(gone.map(({ deleted, value }) => ({ deleted, value }))).toEqual(gone.map(() => ({ deleted: true, value: null })))
    centre.clock.advance(120_000)
    await centre.as.ada.grades.bulk({ body: { assessmentId: mathsQuiz.id, grades: [{ studentId: elan.id, score: 19 }] } })
    // The parent's row meets the deletion here before that is sent.
    const [parent] = await box.services.store.read(asSystem(), parentsOf)
    const child = new Child(box.services, parent?.id ?? '', await lineOf(box, centre))
    while ((await child.pull(0)).more);
    const waiting = await head.replication.waiting()
    const kept = waiting.filter(({ entity }) => entity === 'sync_conflict')
    expect(kept.length).toBeGreaterThan(0)
    for (const each of kept)
      expect(each).toMatchObject({ where: expect.stringContaining('Mathematics'), actor: { id: people.okafor.id }, at })
  })

  test('rows from the parent do not wait for it', async () => {
    await centre.as.okafor.grades.update({ params: { id: gradeId }, body: { score: 64 } })
    await link.round()
    expect(await (await signedIn(box, 'ada')).replication.waiting()).toEqual([])
  })

  test('a server without a parent has no waiting rows', async () => {
    await centre.as.ada.grades.update({ params: { id: gradeId }, body: { score: 81 } })
    expect(await centre.as.ada.replication.waiting()).toEqual([])
  })

  test('is not for members, and an assessment of the neighbour is none', async () => {
    expect(await refused(centre, () => centre.as.niamh.replication.waiting.raw())).toMatchObject({ status: 403 })
    const query = { assessmentId: hilltopExam.id }
    expect(await refused(centre, () => centre.as.ada.replication.waiting.raw({ query }))).toMatchObject({ status: 404 })
  })
})
