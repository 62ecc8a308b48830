import { naturalId } from '@markbook/shared/ids'
import { elan, englishExam, mathsExam, mathsHilary, mathsHomework, mathsQuiz, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { centreAndSchool, schoolAndLaptop } from '../../testing/joined.ts'
import { meanwhile } from '../../testing/meanwhile.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const mark = (assessmentId: string, score: number) => ({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })
const newQuiz = { title: 'New quiz', assessmentType: 'coursework' as const }
const scoreAt = async (node: School, assessmentId: string) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === assessmentId && student_id === zoe.id)?.score

test('two teachers, one mark: the later stands, the earlier is kept with its author', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await (await signedIn(centre, 'byrne')).grades.bulk(mark(englishExam.id, 51))
  box.clock.advance(60_000)
  await (await signedIn(box, 'okafor')).grades.bulk(mark(englishExam.id, 59))
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect(await scoreAt(centre, englishExam.id)).toBe(59)
  expect(await conflictsAt(box)).toMatchObject([{ entity: 'grade', value: { score: 51 }, actor_id: people.byrne.id, status: 'open' }])
})

describe('a code and a score for the same mark at once', () => {
  const markAt = async (node: School) => {
    const row = (await node.rows('grade')).find(
      ({ assessment_id, student_id }) => assessment_id === englishExam.id && student_id === zoe.id,
    )
    return [row?.score, row?.status]
  }
  const code = { body: { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, status: 'abs' }] } }

  test.each(['code', 'score'] as const)('the %s is the later one: the other is kept, and can be taken', async (later) => {
    const { centre, box, link } = await centreAndSchool(open)
    const byrne = await signedIn(centre, 'byrne')
    const okafor = await signedIn(box, 'okafor')
    await byrne.grades.bulk(later === 'code' ? mark(englishExam.id, 51) : code)
    box.clock.advance(60_000)
    centre.clock.advance(60_000)
    await okafor.grades.bulk(later === 'code' ? code : mark(englishExam.id, 59))
    await settle(link)
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
    const [conflict] = await conflictsAt(box)
    expect(conflict).toMatchObject({
      entity: 'grade',
      unit: 'score',
      value: { score: later === 'code' ? 51 : null },
      actor_id: people.byrne.id,
    })
    const [score] = await markAt(box)
    expect(score).toBe(later === 'code' ? null : 59)
    await okafor.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'kept' } })
    await settle(link)
    for (const node of [centre, box]) expect(await markAt(node)).toEqual(later === 'code' ? [51, null] : [null, 'abs'])
  })

  test('the score that stands beside the code is decided for: the code goes, as where somebody types the score', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    await (await signedIn(centre, 'byrne')).grades.bulk(code)
    box.clock.advance(60_000)
    const okafor = await signedIn(box, 'okafor')
    await okafor.grades.bulk(mark(englishExam.id, 59))
    await settle(link)
    expect(await markAt(box)).toEqual([59, 'abs'])
    const [conflict] = await conflictsAt(box)
    await okafor.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'current' } })
    await settle(link)
    for (const node of [centre, box]) {
      expect(await markAt(node)).toEqual([59, null])
      expect((await conflictsAt(node)).filter(({ status }) => status === 'open')).toEqual([])
    }
  })

  test('the code that stands beside the score is decided for: the score goes', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const byrne = await signedIn(centre, 'byrne')
    await byrne.grades.bulk(code)
    await settle(link)
    // One puts a score in the place of the code, the other another code.
    await byrne.grades.bulk(mark(englishExam.id, 51))
    box.clock.advance(60_000)
    const okafor = await signedIn(box, 'okafor')
    await okafor.grades.bulk({ body: { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, status: 'ex' }] } })
    await settle(link)
    expect(await markAt(box)).toEqual([51, 'ex'])
    const [conflict] = await conflictsAt(box)
    expect(conflict).toMatchObject({ unit: 'status' })
    await okafor.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'current' } })
    await settle(link)
    for (const node of [centre, box]) expect(await markAt(node)).toEqual([null, 'ex'])
  })

  test('a code that stands beside scores stays when what stands is decided for', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const byrne = await signedIn(centre, 'byrne')
    const late = { studentId: zoe.id, status: 'late' }
    await byrne.grades.bulk({ body: { assessmentId: englishExam.id, grades: [{ ...late, score: 40 }] } })
    await settle(link)
    await byrne.grades.bulk(mark(englishExam.id, 51))
    box.clock.advance(60_000)
    const okafor = await signedIn(box, 'okafor')
    await okafor.grades.bulk(mark(englishExam.id, 59))
    await settle(link)
    const [conflict] = await conflictsAt(box)
    await okafor.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'current' } })
    await settle(link)
    for (const node of [centre, box]) expect(await markAt(node)).toEqual([59, 'late'])
  })

  test('a mark that nobody had entered before: what was decided is written whole', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const ofElan = (said: object) => ({ body: { assessmentId: mathsExam.id, grades: [{ studentId: elan.id, ...said }] } })
    await (await signedIn(centre, 'ada')).grades.bulk(ofElan({ status: 'ex' }))
    box.clock.advance(60_000)
    const ada = await signedIn(box, 'ada')
    await ada.grades.bulk(ofElan({ score: 40 }))
    await settle(link)
    const [conflict] = (await ada.replication.conflicts()).filter(({ entity }) => entity === 'grade')
    await ada.replication.resolve({ params: { id: conflict?.id as string }, body: { choice: 'kept' } })
    await settle(link)
    for (const node of [centre, box])
      expect((await node.rows('grade')).find(({ id }) => id === naturalId('grade', mathsExam.id, elan.id))).toMatchObject({
        score: null,
        status: 'ex',
      })
  })
})

test('a mark that nobody had entered before, by two teachers in the same moment: neither is lost', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const ofElan = { assessment_id: mathsExam.id, student_id: elan.id, term_id: mathsExam.term_id, school_id: elan.school_id }
  await (await signedIn(box, 'ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: elan.id, score: 59 }] } })
  // At the centre it is being written, and not yet there for others to see, when the page comes.
  await meanwhile(
    centre,
    (tx) =>
      tx.insert('grade', [
        { id: naturalId('grade', mathsExam.id, elan.id), ...ofElan, score: 51, remarks: null, is_excluded: false, exclusion_reason: null },
      ]),
    link.round,
  )
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  const stands = (await centre.rows('grade')).find(({ id }) => id === naturalId('grade', mathsExam.id, elan.id))?.score
  const kept = (await conflictsAt(centre)).map(({ unit, value }) => (unit === 'score' ? value?.['score'] : unit))
  expect([stands, ...kept].sort()).toEqual([51, 59])
})

test('the assessment deleted under new marks: it lives again with them, and the deletion can be repeated knowingly', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  await (await signedIn(centre, 'ada')).assessments.remove({ params: { id: mathsHilary.id } })
  await (await signedIn(box, 'ada')).grades.bulk(mark(mathsHilary.id, 13))
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect(await scoreAt(centre, mathsHilary.id)).toBe(13)
  expect((await centre.rows('assessment')).map(({ id }) => id)).toContain(mathsHilary.id)
  const deletion = (await conflictsAt(box)).find(({ kind, entity }) => kind === 'delete' && entity === 'assessment')
  expect(deletion).toMatchObject({ row_id: mathsHilary.id, actor_id: people.ada.id, status: 'open' })
  box.clock.advance(60_000)
  await (await signedIn(box, 'ada')).replication.resolve({ params: { id: deletion?.id as string }, body: { choice: 'kept' } })
  await settle(link)
  for (const node of [centre, box]) {
    expect((await node.rows('assessment')).map(({ id }) => id)).not.toContain(mathsHilary.id)
    expect(await scoreAt(node, mathsHilary.id)).toBeUndefined()
  }
})

test.each(['school', 'centre'] as const)(
  'the assessment deleted at the %s under a laptop’s marks: it lives again with them',
  async (where) => {
    const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
    await (await signedIn(where === 'school' ? box : centre, 'okafor')).assessments.remove({ params: { id: mathsQuiz.id } })
    const had = (await laptop.rows('grade')).filter(({ assessment_id }) => assessment_id === mathsQuiz.id)
    const ada = await signedIn(laptop, 'ada')
    const fresh = await ada.assessments.create({ body: { ...newQuiz, termId: mathsQuiz.term_id, subjectId: mathsQuiz.subject_id } })
    await ada.grades.bulk(mark(mathsQuiz.id, 13))
    await ada.grades.bulk(mark(fresh.id, 4))
    await settle(link, atSchool)
    for (const node of [centre, box, laptop]) {
      expect(await scoreAt(node, mathsQuiz.id)).toBe(13)
      expect(await scoreAt(node, fresh.id)).toBe(4)
      expect((await node.rows('assessment')).map(({ id }) => id)).toContain(mathsQuiz.id)
    }
    expect(had.length).toBeGreaterThan(0)
    expect(await refusedAt(laptop)).toEqual([])
    const deletions = (await conflictsAt(box)).filter(({ kind, entity }) => kind === 'delete' && entity === 'assessment')
    expect(deletions).toMatchObject([{ row_id: mathsQuiz.id, actor_id: people.okafor.id, status: 'open' }])
  },
)

test('the laptop on the bus: laptop → centre, then → school: every write once', async () => {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 88))
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await atCentre.round()
  expect(await scoreAt(centre, mathsExam.id)).toBe(88)
  await settle(atSchool, link, atCentre)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect(await scoreAt(box, mathsExam.id)).toBe(88)
  expect(await conflictsAt(box)).toEqual([])
  const entries = async (node: School) =>
    (
      await (
        await signedIn(node, 'okafor')
      ).history.list({
        query: {
          entity: 'grade',
          id: (await node.rows('grade')).find((row) => row.assessment_id === mathsExam.id && row.student_id === zoe.id)?.id as string,
        },
      })
    ).filter(({ changes }) => changes['score']?.after === 88)
  expect(await entries(centre)).toHaveLength(1)
})

test('what was done on a laptop is in the history of the centre too, once the school has told it', async () => {
  const { centre, box, link, laptop, laptopLink: atSchool } = await schoolAndLaptop(open)
  const mark88 = mark(mathsExam.id, 88)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark88)
  await settle(atSchool, link)
  const [grade] = (await laptop.rows('grade')).filter((row) => row.assessment_id === mathsExam.id && row.score === 88)
  const query = { entity: 'grade' as const, id: grade?.id as string }
  const told = async (node: School) => (await (await signedIn(node, 'okafor')).history.list({ query }))[0]
  expect(await told(centre)).toMatchObject({
    actor: { id: people.ada.id },
    node: laptop.services.store.nodeId,
    changes: { score: { after: 88 } },
  })
  expect((await told(centre))?.id).toBe((await told(box))?.id)
})

test('the clock in 2099: a wrong clock wins where two meet, and poisons nothing else', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  box.clock.advance(73 * 365 * 86_400_000)
  await (await signedIn(box, 'ada')).grades.bulk(mark(mathsExam.id, 33))
  await (await signedIn(centre, 'ada')).grades.bulk(mark(mathsExam.id, 44))
  await settle(link)
  expect(await scoreAt(centre, mathsExam.id)).toBe(33)
  expect(await conflictsAt(centre)).toMatchObject([{ value: { score: 44 } }])
  // Whoever has seen it is not held up by it, and no other row is.
  await (await signedIn(centre, 'ada')).grades.bulk(mark(mathsExam.id, 45))
  await (await signedIn(centre, 'ada')).grades.bulk(mark(mathsHomework.id, 6))
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect(await scoreAt(box, mathsExam.id)).toBe(45)
  expect(await scoreAt(box, mathsHomework.id)).toBe(6)
})

describe('a right that has gone', () => {
  test('the demoted teacher’s late marks: written before the laptop could know, they wait for a decision and change nothing', async () => {
    const { box, laptop, laptopLink: link } = await schoolAndLaptop(open)
    const before = await scoreAt(box, mathsExam.id)
    await (await signedIn(box, 'okafor')).schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 99))
    await settle(link)
    expect(await scoreAt(box, mathsExam.id)).toBe(before)
    expect(await conflictsAt(box)).toMatchObject([{ entity: 'grade', kind: 'right', value: { score: 99 }, actor_id: people.ada.id }])
    expect(await refusedAt(laptop)).toMatchObject([{ table_name: 'grade', value: { score: 99 }, code: 'right_lost' }])
    // What she may no longer read has left the laptop.
    expect(await scoreAt(laptop, mathsExam.id)).toBeUndefined()
  })
})
