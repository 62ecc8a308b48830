import { elan, englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, english, maths, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, describe, expect, test } from 'vitest'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { Child } from '../../replication/upstream/child.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { carrierTo, lineOf, makeRound, signedIn, under } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

type Listed = Awaited<ReturnType<typeof refusedAt>>
const isOpen = ({ seen_at }: Listed[number]) => seen_at === null
const alarmsAt = async (node: School) => (await refusedAt(node)).filter(isOpen).map(({ code }) => code)
const alarmsBelow = async (node: School) => (await refusedBelow(node)).filter(isOpen).map(({ code }) => code)
const counted = async (node: School, who: 'ada' | 'okafor' = 'okafor') => {
  const { refused, refused_below } = await (await signedIn(node, who)).replication.status()
  return { refused, refused_below }
}
const marksOf = async (node: School, assessment: string) =>
  Object.fromEntries(
    (await node.rows('grade')).flatMap(({ assessment_id, student_id, score }) =>
      assessment_id === assessment ? [[student_id, score]] : [],
    ),
  )
const mark = (assessmentId: string, score: number) => ({ body: { assessmentId, grades: [{ studentId: zoe.id, score }] } })

/** Ada’s laptop under her school and the centre, and all three hold the same. */
async function twoParents() {
  const { centre, box, link } = await centreAndSchool(open)
  const { laptop, link: atSchool } = await laptopOf(open, box, people.ada.id)
  const atCentre = await under(centre, laptop, { user: people.ada.id })
  await settle(atSchool, link, atCentre)
  return { centre, box, laptop, link, atSchool, atCentre }
}

const demoted = { params: { userId: people.ada.id }, body: { role: 'member' as const } }

const toAda = (...subjects: { id: string }[]) => ({
  params: { classId: class3B.id },
  body: { teacherId: people.ada.id, subjectIds: subjects.map(({ id }) => id) },
})
const mathsAlone = async (box: School) => (await signedIn(box, 'okafor')).classes.addTeacher(toAda(maths))

/** At school Ada teaches English too, of which the centre has yet to hear. */
async function newSubject() {
  const nodes = await twoParents()
  const { box, atSchool } = nodes
  await (await signedIn(box, 'okafor')).classes.addTeacher(toAda(maths, english))
  await atSchool.round()
  return nodes
}

describe('what the centre refuses of a laptop before its school has answered', () => {
  test('stays on the laptop, is told, goes to the school, and is no alarm from then on', async () => {
    const { centre, box, laptop, link, atSchool, atCentre } = await twoParents()
    const { id } = await (await signedIn(box, 'ada')).assessments.create({
      body: { termId: michaelmas.id, subjectId: maths.id, title: 'New', assessmentType: 'coursework' },
    })
    await atSchool.round()
    const grades = [
      { studentId: zoe.id, score: 7, remarks: 'Better' },
      { studentId: elan.id, score: 6 },
    ]
    await (await signedIn(laptop, 'ada')).grades.bulk({ body: { assessmentId: id, grades } })
    // The school has not told the centre of the test, and is not there.
    await atCentre.round()
    const marks = { [zoe.id]: 7, [elan.id]: 6 }
    expect(await marksOf(laptop, id)).toEqual(marks)
    expect(new Set(await alarmsAt(laptop))).toEqual(new Set(['unknown_parent']))
    expect(await counted(laptop, 'ada')).toEqual({ refused: 2, refused_below: 0 })
    expect(await counted(centre)).toEqual({ refused: 0, refused_below: 2 })

    await atSchool.round()
    expect(await counted(laptop, 'ada')).toEqual({ refused: 0, refused_below: 0 })
    await settle(link, atSchool, atCentre)
    for (const node of [laptop, box, centre]) {
      expect(await marksOf(node, id)).toEqual(marks)
      expect(await counted(node)).toEqual({ refused: 0, refused_below: 0 })
      expect(await conflictsAt(node)).toEqual([])
    }
    // The entries are still there, for who wants to know what happened.
    expect([(await refusedAt(laptop)).length, (await refusedBelow(centre)).length]).toEqual([10, 10])
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test('is on the list once, and the school has the last word', async () => {
    const { box, laptop, atSchool, atCentre } = await newSubject()
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
    await atCentre.round()
    const told = await refusedAt(laptop)
    expect(told).toMatchObject([{ value: { score: 88 }, code: 'forbidden', seen_at: null }])
    await mathsAlone(box)
    await atSchool.round()
    const [parent] = await laptop.services.store.read(asSystem(), parentsOf)
    expect(await refusedAt(laptop)).toMatchObject([{ id: told[0]?.id, parent_id: parent?.id, code: 'right_lost' }])
    expect(await marksOf(laptop, englishExam.id)).toEqual(await marksOf(box, englishExam.id))
  })
})

describe('what the centre refuses of a laptop after its school has taken it', () => {
  test('is nothing on the laptop, which keeps it, and no alarm at the centre once the school brings it', async () => {
    const { centre, box, laptop, link, atSchool, atCentre } = await newSubject()
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
    await atSchool.round()
    await atCentre.round()
    expect(await refusedAt(laptop)).toEqual([])
    expect(await counted(centre)).toEqual({ refused: 0, refused_below: 1 })
    await link.round()
    for (const node of [laptop, box, centre]) expect(await marksOf(node, englishExam.id)).toMatchObject({ [zoe.id]: 88 })
    expect(await counted(centre)).toEqual({ refused: 0, refused_below: 0 })
  })

  test('nor where somebody at school has written over it, having seen it', async () => {
    const { centre, box, laptop, link, atSchool, atCentre } = await newSubject()
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
    await atCentre.round()
    await atSchool.round()
    await (await signedIn(box, 'byrne')).grades.bulk(mark(englishExam.id, 89))
    expect([await alarmsAt(laptop), await alarmsBelow(centre)]).toEqual([[], ['forbidden']])
    await link.round()
    expect(await alarmsBelow(centre)).toEqual([])
  })

  test('nor where another mark stands there, and what the laptop wrote is a conflict', async () => {
    const { centre, laptop, link, atSchool, atCentre } = await newSubject()
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
    centre.clock.advance(60_000)
    await centre.as.okafor.grades.bulk(mark(englishExam.id, 64))
    await atSchool.round()
    await atCentre.round()
    expect(await alarmsBelow(centre)).toEqual(['forbidden'])
    await settle(link)
    expect(await marksOf(centre, englishExam.id)).toMatchObject({ [zoe.id]: 64 })
    expect(await conflictsAt(centre)).toMatchObject([{ value: { score: 88 }, status: 'open' }])
    expect([await refusedAt(laptop), await alarmsBelow(centre)]).toEqual([[], []])
  })
})

test('what the school keeps as a conflict is no alarm on a laptop that is told of it', async () => {
  const { box, laptop, atSchool } = await newSubject()
  await mathsAlone(box)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
  await atSchool.round()
  expect(await conflictsAt(laptop)).toMatchObject([{ kind: 'right', value: { score: 88 } }])
  expect(await refusedAt(laptop)).toMatchObject([{ value: { score: 88 }, code: 'right_lost' }])
  expect(await counted(laptop, 'ada')).toEqual({ refused: 0, refused_below: 0 })
})

test('what a laptop brings home of others, and the school has from the centre soon after, is no alarm at either', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const { laptop, link: down } = await laptopOf(open, box, people.ada.id)
  await link.round()
  const image = await imageOf(box)
  for (const score of [76, 77]) await (await signedIn(box, 'okafor')).grades.bulk(mark(mathsExam.id, score))
  await link.round()
  await down.round()
  const back = await startedFrom(image, 'school-back')
  back.clock.advance(3_600_000)
  await back.services.store.renewNode()
  await makeRound(laptop, carrierTo(back))
  expect(await marksOf(back, mathsExam.id)).toMatchObject({ [zoe.id]: 77 })
  await makeRound(back, carrierTo(centre))
  await makeRound(laptop, carrierTo(back))
  for (const node of [back, laptop]) expect(await marksOf(node, mathsExam.id)).toMatchObject({ [zoe.id]: 77 })
  expect([await alarmsAt(laptop), await alarmsBelow(back)]).toEqual([[], []])
})

describe('an alarm stays', () => {
  /** A mark of Ada in English, which she may not enter at school any more; the school does not know since when. */
  async function forbiddenMark() {
    const nodes = await newSubject()
    await mathsAlone(nodes.box)
    await nodes.box.services.store.renewNode()
    await (await signedIn(nodes.laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
    const byrneWrites = async (score: number) => (await signedIn(nodes.box, 'byrne')).grades.bulk(mark(englishExam.id, score))
    return { ...nodes, byrneWrites }
  }
  const bothAlarmed = [['forbidden'], ['forbidden']]

  test('at both ends where the laptop gives up what it wrote, whoever writes there afterwards', async () => {
    const { box, laptop, atSchool, byrneWrites } = await forbiddenMark()
    await atSchool.round()
    expect([await alarmsAt(laptop), await alarmsBelow(box)]).toEqual(bothAlarmed)
    await byrneWrites(51)
    await atSchool.round()
    expect(await marksOf(laptop, englishExam.id)).toMatchObject({ [zoe.id]: 51 })
    expect([await alarmsAt(laptop), await alarmsBelow(box)]).toEqual(bothAlarmed)
  })

  test('where somebody writes there before it has told that it gave it up', async () => {
    const { box, laptop, atSchool, byrneWrites } = await forbiddenMark()
    const [parent] = await laptop.services.store.read(asSystem(), parentsOf)
    const child = new Child(laptop.services, parent?.id ?? '', await lineOf(laptop, box))
    await child.greet()
    await child.push()
    expect([await alarmsAt(laptop), await alarmsBelow(box)]).toEqual(bothAlarmed)
    await byrneWrites(51)
    await settle(atSchool)
    expect(await marksOf(box, englishExam.id)).toMatchObject({ [zoe.id]: 51 })
    expect([await alarmsAt(laptop), await alarmsBelow(box)]).toEqual(bothAlarmed)
  })

  test('at the centre too, where the school brings that it was given up', async () => {
    const { centre, box, laptop, link, atSchool, atCentre } = await forbiddenMark()
    await atCentre.round()
    await settle(atSchool, link)
    expect([await alarmsAt(laptop), await alarmsBelow(box)]).toEqual(bothAlarmed)
    expect(await alarmsBelow(centre)).toEqual(['forbidden'])
  })

  test('and is there again where the school is put back and refuses what it had taken', async () => {
    const { box, laptop, atSchool, atCentre } = await newSubject()
    const image = await imageOf(box)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(englishExam.id, 88))
    await atCentre.round()
    await atSchool.round()
    expect([(await refusedAt(laptop)).length, await alarmsAt(laptop)]).toEqual([1, []])
    const back = await startedFrom(image, 'school-back')
    back.clock.advance(3_600_000)
    await (await signedIn(back, 'okafor')).schools.updateMember(demoted)
    await back.services.store.renewNode()
    await makeRound(laptop, carrierTo(back))
    expect([(await refusedAt(laptop)).length, await alarmsAt(laptop)]).toEqual([1, ['forbidden']])
  })
})

test('what the centre refuses of somebody who lost a right there stays on the laptop until the school, which had not heard of it, has it', async () => {
  const { centre, box, laptop, atSchool, atCentre } = await twoParents()
  await centre.as.okafor.schools.updateMember(demoted)
  await (await signedIn(laptop, 'ada')).grades.bulk(mark(mathsExam.id, 88))
  await atCentre.round()
  expect([await marksOf(laptop, mathsExam.id), await alarmsAt(laptop)]).toEqual([expect.objectContaining({ [zoe.id]: 88 }), ['right_lost']])
  await settle(atSchool)
  expect([await marksOf(box, mathsExam.id), await alarmsAt(laptop)]).toEqual([expect.objectContaining({ [zoe.id]: 88 }), []])
})
