import { englishEssay, englishExam, irishOral, mathsExam, mathsHomework, pupilsOf3B, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import type { RowState } from '@markbook/sync/merge/state'
import { covers, type Stamp, textToVersions } from '@markbook/sync/versions'
import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, schoolAndLaptop } from '../../testing/joined.ts'
import { carrierTo, lineOf, makeRound, signedIn } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'
import { copiesIn } from './copies.fixtures.ts'
import { conflictsAt, refusedAt, refusedBelow, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await forget()
})

const meet = async (child: School, parent: School, times = 2) => {
  for (let time = 0; time < times; time += 1) await makeRound(child, carrierTo(parent))
}
const ASSESSMENTS = [mathsExam, englishEssay, englishExam, irishOral]
/** 24 marks of six pupils. */
const enterAll = async (node: School) => {
  const head = await signedIn(node, 'okafor')
  for (const [at, { id }] of ASSESSMENTS.entries())
    await head.grades.bulk({
      body: { assessmentId: id, grades: pupilsOf3B.map((pupil, row) => ({ studentId: pupil.id, score: 11 + at + row })) },
    })
}
const scoresAt = async (node: School) =>
  (await node.rows('grade'))
    .filter(({ assessment_id }) => ASSESSMENTS.some(({ id }) => id === assessment_id))
    .map(({ id, score }) => [id, score])
    .sort()
const pastOf = async (node: School, entity: 'grade' | 'student' | 'assessment', id: string) =>
  (await (await signedIn(node, 'okafor')).history.list({ query: { entity, id } })).map(({ actor, at, action, changes }) => [
    actor?.id ?? null,
    at,
    action,
    changes,
  ])
const newPupil = { firstName: 'Nóra', lastName: 'Quinn', gender: 'female' as const, studentNumber: 'SB-900' }
const newQuiz = { termId: michaelmas.id, subjectId: maths.id, title: 'Quiz 9', assessmentType: 'coursework' as const, maxScore: 30 }
const versionsAt = async ({ services: { store } }: School, id: string) => {
  const [row] = await store.read(asSystem(), (tx) => tx.db.select().from(tx.t.sync_row).where(eq(tx.t.sync_row.row_id, id)))
  if (!row) throw new Error('there is no such row')
  return textToVersions(row)
}
/** The mark's own write as something else than it was. */
const stamped = (state: RowState, change: (stamp: Stamp) => Stamp): RowState => ({
  ...state,
  units: { ...state.units, score: change(state.units['score'] as Stamp) },
})
const nothingIsWrong = async (box: School, ...laptops: School[]) => {
  expect(await conflictsAt(box)).toEqual([])
  expect(await refusedBelow(box)).toEqual([])
  for (const laptop of laptops) expect(await refusedAt(laptop)).toEqual([])
}

describe('a school that is restored from yesterday, with no line to its centre', () => {
  test('gets a mark of which a laptop wrote a part after another’s had taken the place of its own', async () => {
    const { centre, box, laptop, link, laptopLink } = await schoolAndLaptop(open)
    const marking = (score: number, remarks?: string) => ({
      body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score, ...(remarks && { remarks }) }] },
    })
    await (await signedIn(laptop, 'ada')).grades.bulk(marking(41))
    await laptopLink.round()
    const yesterday = await imageOf(box)
    centre.clock.advance(60_000)
    await (await signedIn(centre, 'okafor')).grades.bulk(marking(50))
    await settle(link, laptopLink)
    await (await signedIn(laptop, 'ada')).grades.bulk(marking(50, 'Late'))
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(3_600_000)
    await meet(laptop, back)
    const markAt = async (node: School) => {
      const row = (await node.rows('grade')).find(
        ({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id,
      )
      const { vv, units } = await versionsAt(node, row?.id ?? '')
      return { score: row?.score, remarks: row?.remarks, isCovered: Object.values(units).every((stamp) => covers(vv, stamp)) }
    }
    const whole = { score: 50, remarks: 'Late', isCovered: true }
    expect(await markAt(back)).toEqual(whole)
    await meet(back, centre)
    await meet(laptop, back)
    for (const node of [centre, back, laptop]) expect(await markAt(node)).toEqual(whole)
  })

  test('gets 24 marks, a pupil and an assessment from a laptop that has read them, with who wrote them and when', async () => {
    const box = await school({ seed: 'box' })
    open.push(box)
    const { laptop } = await laptopOf(open, box, people.ada.id)
    const yesterday = await imageOf(box)
    box.clock.advance(3_600_000)
    await enterAll(box)
    const head = await signedIn(box, 'okafor')
    const pupil = await head.students.create({ body: newPupil })
    const quiz = await head.assessments.create({ body: newQuiz })
    await meet(laptop, box)
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    await meet(laptop, back)
    expect(await scoresAt(back)).toEqual(await scoresAt(box))
    expect((await back.rows('student')).find(({ id }) => id === pupil.id)).toEqual(
      (await box.rows('student')).find(({ id }) => id === pupil.id),
    )
    expect((await back.rows('assessment')).find(({ id }) => id === quiz.id)).toMatchObject({ title: 'Quiz 9', max_score: 30 })
    for (const [entity, id] of [
      ['student', pupil.id],
      ['assessment', quiz.id],
    ] as const)
      expect(await pastOf(back, entity, id)).toEqual(await pastOf(box, entity, id))
    for (const { id } of (await box.rows('grade')).filter(({ assessment_id }) => assessment_id === englishExam.id))
      expect(await pastOf(back, 'grade', id)).toEqual(await pastOf(box, 'grade', id))
    await nothingIsWrong(back, laptop)
    const [a, b] = await same(back, laptop)
    expect(b['grade']).toEqual(a['grade'])
  })

  test('gets the last of many values of one mark, and nobody has to decide between them', async () => {
    const box = await school({ seed: 'box' })
    open.push(box)
    const { laptop } = await laptopOf(open, box, people.ada.id)
    const enter = async (node: School, score: number) =>
      (await signedIn(node, 'okafor')).grades.bulk({
        body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score, remarks: `was ${score}` }] },
      })
    await enter(box, 72)
    const yesterday = await imageOf(box)
    for (const score of [16, 21, 98]) {
      box.clock.advance(60_000)
      await enter(box, score)
      if (score !== 21) await meet(laptop, box)
    }
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    await back.services.store.renewNode()
    await meet(laptop, back)
    await enter(back, 5)
    await meet(laptop, back)
    expect(await scoresAt(back)).toEqual(await scoresAt(laptop))
    expect(
      (await back.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id),
    ).toMatchObject({ score: 5, remarks: 'was 5' })
    await nothingIsWrong(back, laptop)
  })

  test('gets the union of what two laptops have read, also what each of them had written', async () => {
    const box = await school({ seed: 'box' })
    open.push(box)
    const { laptop: first } = await laptopOf(open, box, people.ada.id, 'first')
    const { laptop: second } = await laptopOf(open, box, people.okafor.id, 'second')
    const yesterday = await imageOf(box)
    box.clock.advance(3_600_000)
    const head = await signedIn(box, 'okafor')
    await head.grades.bulk({ body: { assessmentId: englishEssay.id, grades: [{ studentId: zoe.id, score: 21 }] } })
    await (await signedIn(first, 'ada')).grades.bulk({
      body: { assessmentId: mathsHomework.id, grades: [{ studentId: zoe.id, score: 3 }] },
    })
    await meet(first, box)
    await head.grades.bulk({ body: { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, score: 45 }] } })
    await meet(second, box)
    await first.close()
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    await meet(second, back)
    const scoreOf = async ({ id }: { id: string }) =>
      (await back.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === id && student_id === zoe.id)?.score
    expect([await scoreOf(englishEssay), await scoreOf(mathsHomework), await scoreOf(englishExam)]).toEqual([21, 3, 45])
    await nothingIsWrong(back, second)
  })

  test('takes what a laptop had given way to and somebody known signed; what nobody here can prove stands on its list', async () => {
    const box = await school({ seed: 'box' })
    open.push(box)
    const { laptop: first } = await laptopOf(open, box, people.ada.id, 'first')
    const enter = async (node: School, mark: { score: number; remarks?: string }) =>
      (await signedIn(node, 'okafor')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, ...mark }] } })
    const markAt = async (node: School) =>
      (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id)
    const listed = async () =>
      (await refusedAt(first))
        .filter(({ row_id, unit, seen_at }) => row_id === id && unit !== 'row' && seen_at === null)
        .map(({ unit, value, actor_id, code }) => ({ unit, value, actor_id, code }))
    await enter(box, { score: 20 })
    await meet(first, box)
    const { id } = (await markAt(first)) as { id: string }
    const yesterday = await imageOf(box)
    box.clock.advance(3_600_000)
    const { laptop: second } = await laptopOf(open, box, people.okafor.id, 'second', 'a secret of the second laptop alone')
    await enter(box, { score: 20, remarks: 'By the head' })
    await enter(second, { score: 37 })
    await meet(second, box)
    await meet(first, box)
    await (await signedIn(box, 'okafor')).classes.removeTeacher({ params: { classId: class3B.id, teacherId: people.ada.id } })
    await (await signedIn(first, 'ada')).grades.remove({ params: { id } })
    await meet(first, box)
    expect(await markAt(first)).toMatchObject({ score: 37, remarks: 'By the head' })
    expect(await listed()).toEqual([])
    const { units } = await versionsAt(first, id)
    expect([units['score']?.[3], units['remarks']?.[3]]).toEqual([null, null])

    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    await meet(first, back)
    for (const node of [back, first]) expect(await markAt(node)).toMatchObject({ score: 20, remarks: 'By the head' })
    expect(await listed()).toEqual([{ unit: 'score', value: { score: 37 }, actor_id: people.okafor.id, code: 'not_yours' }])
  })

  test.each<[string, (state: RowState) => RowState]>([
    ['another value', (state) => ({ ...state, values: { ...state.values, score: 99 } })],
    ['another author', (state) => stamped(state, ([node, counter, hlc]) => [node, counter, hlc, people.ada.id])],
    ['another time', (state) => stamped(state, ([node, counter, hlc, actor]) => [node, counter, hlc + 86_400_000, actor])],
    ['another transaction', (state) => stamped(state, ([node, counter, hlc, actor]) => [node, counter + 1, hlc, actor])],
    ['another highest value', (state) => stamped(state, ([node, counter, hlc, actor]) => [node, counter, hlc, actor, 500])],
    ['a deletion that nobody wrote', (state) => ({ ...state, alive: [] })],
    ['a deletion', (state) => ({ ...state, alive: [], units: { ...state.units, row: state.units['score'] as Stamp } })],
  ])('takes from a laptop nothing that was not signed: %s', async (_, lie) => {
    const box = await school({ seed: 'box' })
    open.push(box)
    const { laptop } = await laptopOf(open, box, people.ada.id)
    const yesterday = await imageOf(box)
    box.clock.advance(3_600_000)
    await enterAll(box)
    await meet(laptop, box)
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    const before = await scoresAt(back)
    // It greets honestly, and then sends everything.
    await lineOf(laptop, back)
    const { answers } = await (await liar(laptop, back)).says(({ table, state }) => [
      { table, state: table === 'grade' && state.values['assessment_id'] === englishExam.id ? lie(state) : state },
    ])
    const isLie = ({ assessment_id }: { assessment_id: string }) => assessment_id === englishExam.id
    const lies = (await back.rows('grade')).filter(isLie)
    expect(lies).toHaveLength(pupilsOf3B.length)
    for (const { id, score } of lies) expect(before).toContainEqual([id, score])
    expect(
      answers
        .filter(({ outcome, code }) => outcome === 'refused' && code === 'not_yours')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(lies.map(({ id }) => id).sort())
    // What is true beside the lies comes in.
    const others = (rows: readonly (readonly unknown[])[]) => rows.filter(([id]) => !lies.some((each) => each.id === id))
    expect(others(await scoresAt(back))).toEqual(others(await scoresAt(box)))
  })
})

describe('a school that is restored from yesterday, and meets its laptop before its centre', () => {
  const mark = async (node: School, score: number) =>
    (await signedIn(node, 'okafor')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })
  const markAt = async (node: School) =>
    (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id)?.score

  /** With the image of before any of it; the laptop has read 51. */
  async function marked() {
    const { centre, box, laptop } = await schoolAndLaptop(open)
    await meet(box, centre)
    await meet(laptop, box)
    const yesterday = await imageOf(box)
    box.clock.advance(60_000)
    await mark(box, 51)
    await meet(laptop, box)
    return { centre, box, laptop, yesterday }
  }
  async function restored(yesterday: Awaited<ReturnType<typeof imageOf>>) {
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(600_000)
    await back.services.store.renewNode()
    return back
  }

  test('what the laptop brings back is no second write beside what came after it', async () => {
    const { centre, box, laptop, yesterday } = await marked()
    box.clock.advance(60_000)
    await mark(box, 52)
    await meet(box, centre)
    const back = await restored(yesterday)
    await meet(laptop, back)
    expect(Number(await markAt(back))).toBe(51)
    await meet(back, centre, 3)
    await meet(laptop, back, 3)
    for (const node of [centre, back, laptop]) {
      expect(Number(await markAt(node))).toBe(52)
      expect(await conflictsAt(node)).toEqual([])
    }
    await nothingIsWrong(back, laptop)
  })

  test.each(['laptop', 'centre'] as const)(
    'nor is it where the school is restored twice from one backup, and meets its %s first',
    async (first) => {
      const { centre, box, laptop } = await schoolAndLaptop(open)
      await mark(box, 45)
      await meet(box, centre)
      await meet(laptop, box)
      const yesterday = await imageOf(box)
      let at: School = box
      for (const [time, score] of [51, 52, 53].entries()) {
        if (time > 0) {
          const now = at.clock.now()
          at = await restored(yesterday)
          at.clock.advance(now - at.clock.now() + 60_000)
        }
        const up = () => meet(at, centre)
        const down = () => meet(laptop, at)
        for (const step of first === 'laptop' ? [down, up, down] : [up, down]) await step()
        for (const each of [score, score + 10]) {
          at.clock.advance(60_000)
          await mark(at, each)
          await down()
          await up()
        }
      }
      for (const node of [centre, at, laptop]) {
        expect(Number(await markAt(node))).toBe(63)
        expect((await conflictsAt(node)).map(({ value, node_id }) => [value, node_id])).toEqual([])
      }
      await nothingIsWrong(at, laptop)
    },
  )

  test('what the laptop alone had read comes to the centre, with who wrote it', async () => {
    const { centre, box, laptop, yesterday } = await marked()
    const back = await restored(yesterday)
    await meet(laptop, back)
    await meet(back, centre, 3)
    await meet(laptop, back, 3)
    for (const node of [centre, back, laptop]) expect(Number(await markAt(node))).toBe(51)
    const { id } = (await centre.rows('grade')).find(
      ({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id,
    ) as { id: string }
    expect(await pastOf(centre, 'grade', id)).toEqual(await pastOf(box, 'grade', id))
    expect(await refusedBelow(centre)).toEqual([])
    await nothingIsWrong(back, laptop)
  })
})

describe('a centre that is put back to yesterday', () => {
  test('has the history of the lost day again, with its own entries, from its school', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const yesterday = await imageOf(centre)
    centre.clock.advance(3_600_000)
    await enterAll(centre)
    await settle(link)
    const back = await startedFrom(yesterday, 'back')
    back.clock.advance(7_200_000)
    await meet(box, back, 3)
    const ids = (await centre.rows('grade')).filter(({ assessment_id }) => assessment_id === englishExam.id).map(({ id }) => id)
    for (const id of ids) expect(await pastOf(back, 'grade', id)).toEqual(await pastOf(centre, 'grade', id))
    expect(await scoresAt(back)).toEqual(await scoresAt(centre))
  })
})
