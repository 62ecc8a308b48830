import { naturalId } from '@markbook/shared/ids'
import { englishEssay, fatima, irishOral, mathsQuiz, mei, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool, laptopOf, serverAndLaptop } from '../../testing/joined.ts'
import { asModifiedProgram } from '../../testing/modified-program.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { refusedAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A set of English, of pupils of 3A and 3B, that Ada teaches, who teaches no English in any class. */
async function setAt(node: School, students: readonly { id: string }[] = [mei, fatima]) {
  const head = await signedIn(node, 'okafor')
  const set = await head.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: english.id, name: 'English upper' } })
  await head.teachingSets.setTeachers({ params: set, body: { teacherIds: [people.ada.id] } })
  await head.teachingSets.setStudents({ params: set, body: { studentIds: students.map(({ id }) => id) } })
  return set
}
const markOf = async (node: School, student: { id: string }, assessment = englishEssay) =>
  (await node.rows('grade')).find(({ id }) => id === naturalId('grade', assessment.id, student.id))
const write = async (node: School, student: { id: string }, score: number, assessment = englishEssay) =>
  (await signedIn(node, 'ada')).grades.bulk({ body: { assessmentId: assessment.id, grades: [{ studentId: student.id, score }] } })

describe('the laptop of a teacher of a set', () => {
  test('gets the set, shows its pupils without the school, and its marks are taken by the school and the centre', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const set = await setAt(box)
    const { laptop, link: toBox } = await laptopOf(open, box, people.ada.id)
    await settle(toBox, link)
    const own = await signedIn(laptop, 'ada')
    expect((await own.teachingSets.students({ params: set })).map(({ id }) => id)).toEqual([fatima.id, mei.id])
    await write(laptop, fatima, 44)
    await write(laptop, mei, 33)
    await settle(toBox, link)
    for (const node of [laptop, box, centre]) {
      expect(await markOf(node, fatima)).toMatchObject({ score: 44, created_by: people.ada.id })
      expect(await markOf(node, mei)).toMatchObject({ score: 33 })
    }
    expect(await refusedAt(laptop)).toEqual([])
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test('makes an assessment of every class there, and none that is of one', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await setAt(server)
    await settle(link)
    const term = { termId: englishEssay.term_id, subjectId: english.id, assessmentType: 'coursework' as const }
    const own = await signedIn(laptop, 'ada')
    const made = await own.assessments.create({ body: { ...term, title: 'Set test' } })
    await settle(link)
    expect((await server.rows('assessment')).map(({ id }) => id)).toContain(made.id)
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      asModifiedProgram(tx, async () => {
        const row = await tx.find('assessment', class3A.school_id, made.id)
        if (row) await tx.update('assessment', row, { student_group_id: class3A.id })
      }),
    )
    expect((await laptop.rows('assessment')).find(({ id }) => id === made.id)?.student_group_id).toBe(class3A.id)
    await settle(link)
    expect((await server.rows('assessment')).find(({ id }) => id === made.id)?.student_group_id).toBeNull()
  })

  const paper = {
    termId: englishEssay.term_id,
    subjectId: english.id,
    assessmentType: 'coursework' as const,
    title: 'Set paper',
    maxScore: 50,
  }
  const assessmentAt = async (node: School, id: string) => (await node.rows('assessment')).find((row) => row.id === id)

  test('makes, changes and marks an assessment of the set, which the school and the centre take', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    const set = await setAt(box)
    const { laptop, link: toBox } = await laptopOf(open, box, people.ada.id)
    await settle(toBox, link)
    const own = await signedIn(laptop, 'ada')
    const made = await own.assessments.create({ body: { ...paper, teachingSetId: set.id } })
    await write(laptop, fatima, 44, made as typeof englishEssay)
    await settle(toBox, link)
    await own.assessments.update({ params: made, body: { weight: 2 } })
    await settle(toBox, link)
    for (const node of [laptop, box, centre]) {
      expect(await assessmentAt(node, made.id)).toMatchObject({ teaching_set_id: set.id, student_group_id: null, weight: 2 })
      expect(await markOf(node, fatima, made as typeof englishEssay)).toMatchObject({ score: 44 })
    }
    // Made at the school, it is written at the laptop too.
    const atSchool = await (await signedIn(box, 'okafor')).assessments.create({
      body: { ...paper, title: 'Head’s', teachingSetId: set.id },
    })
    await settle(toBox, link)
    await own.assessments.update({ params: atSchool, body: { title: 'Changed' } })
    await settle(toBox, link)
    expect((await assessmentAt(centre, atSchool.id))?.title).toBe('Changed')
    expect(await refusedAt(laptop)).toEqual([])
    const [a, b] = await same(centre, box)
    expect(b).toEqual(a)
  })

  test('of another set, of another subject, or of a class and a set at once: no such assessment is taken', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const head = server.as.okafor
    const own = await setAt(server)
    const foreign = await head.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: english.id, name: 'English lower' } })
    const maths = await head.teachingSets.create({
      body: { academicYearId: thisYear.id, subjectId: mathsQuiz.subject_id, name: 'Maths A' },
    })
    const [kept, others] = [
      await head.assessments.create({ body: { ...paper, teachingSetId: own.id } }),
      await head.assessments.create({ body: { ...paper, teachingSetId: foreign.id } }),
    ]
    await settle(link)
    const { school_id } = class3A
    const made: string[] = []
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      asModifiedProgram(tx, async () => {
        const of = (id: string) => tx.find('assessment', school_id, id)
        const [first, second] = [await of(kept.id), await of(others.id)]
        if (first) await tx.update('assessment', first, { teaching_set_id: foreign.id })
        if (second) await tx.update('assessment', second, { title: 'Taken over' })
        for (const more of [
          { teaching_set_id: foreign.id },
          { teaching_set_id: own.id, student_group_id: class3A.id },
          { teaching_set_id: maths.id },
        ]) {
          const id = tx.newId()
          made.push(id)
          const row = { term_id: paper.termId, subject_id: english.id, title: 'Lie', assessment_type: 'coursework' as const, max_score: 10 }
          await tx.insert('assessment', { id, school_id, ...row, is_excluded: false, ...more })
        }
      }),
    )
    await settle(link)
    expect((await assessmentAt(server, kept.id))?.teaching_set_id).toBe(own.id)
    expect((await assessmentAt(server, others.id))?.title).toBe('Set paper')
    expect((await server.rows('assessment')).filter(({ id }) => made.includes(id))).toEqual([])
  })

  test('which says of an assessment of its set that it is of a set of another subject, or of a class besides: not taken of an administrator either', async () => {
    const { box: server, link: above } = await centreAndSchool(open)
    const own = await setAt(server)
    const { laptop, link } = await laptopOf(open, server, people.okafor.id)
    const head = await signedIn(server, 'okafor')
    const maths = await head.teachingSets.create({
      body: { academicYearId: thisYear.id, subjectId: mathsQuiz.subject_id, name: 'Maths A' },
    })
    const kept = await head.assessments.create({ body: { ...paper, teachingSetId: own.id } })
    const both = await head.assessments.create({ body: { ...paper, title: 'Both', teachingSetId: own.id } })
    await settle(link, above)
    await laptop.services.store.write(asSystem(people.okafor.id), (tx) =>
      asModifiedProgram(tx, async () => {
        const row = await tx.find('assessment', class3A.school_id, kept.id)
        if (row) await tx.update('assessment', row, { teaching_set_id: maths.id })
        const second = await tx.find('assessment', class3A.school_id, both.id)
        if (second) await tx.update('assessment', second, { student_group_id: class3A.id })
      }),
    )
    await settle(link)
    expect((await assessmentAt(server, kept.id))?.teaching_set_id).toBe(own.id)
    expect(await assessmentAt(server, both.id)).toMatchObject({ teaching_set_id: own.id, student_group_id: null })
  })

  test('writes past its program: marks of other pupils and subjects are kept for people and not taken', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await setAt(server, [mei])
    await settle(link)
    const wrong = [
      [englishEssay, fatima],
      [irishOral, mei],
    ] as const
    const marks = () => Promise.all(wrong.map(async ([assessment, student]) => (await markOf(server, student, assessment))?.score))
    const before = await marks()
    const [set] = await laptop.rows('teaching_set')
    const { school_id } = class3A
    await laptop.services.store.write(asSystem(people.ada.id), (tx) =>
      asModifiedProgram(tx, async () => {
        for (const [assessment, { id: student_id }] of wrong) {
          const known = await tx.find('grade', school_id, naturalId('grade', assessment.id, student_id))
          const row = { school_id, assessment_id: assessment.id, term_id: assessment.term_id, student_id, score: 1, is_excluded: false }
          if (known) await tx.update('grade', known, { score: 1 })
          else await tx.insert('grade', row)
        }
        await tx.insert('teaching_set_member', { school_id, teaching_set_id: set?.id ?? '', student_id: fatima.id })
      }),
    )
    await settle(link)
    expect(await marks()).toEqual(before)
    expect((await server.rows('teaching_set_member')).map(({ student_id }) => student_id)).toEqual([mei.id])
    const refused = await server.as.okafor.replication.refused()
    expect([...new Set(refused.map(({ entity, code }) => `${entity} ${code}`))].sort()).toEqual([
      'grade forbidden',
      'teaching_set_member forbidden',
    ])
  })

  test('whose pupil left their class meanwhile, and is still in the set: the mark is kept for people', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await setAt(server)
    await settle(link)
    const before = (await markOf(server, mei))?.score
    await server.as.okafor.classes.unenroll({ params: { id: class3B.id, studentId: mei.id } })
    expect((await server.rows('teaching_set_member')).map(({ student_id }) => student_id)).toContain(mei.id)
    await write(laptop, mei, 17)
    await settle(link)
    expect((await markOf(server, mei))?.score).toBe(before)
    expect((await server.as.okafor.replication.refused()).map(({ entity, value }) => [entity, value])).toContainEqual([
      'grade',
      expect.objectContaining({ score: 17 }),
    ])
  })

  test('whose pupil was taken out of the set meanwhile: the mark is kept for people, and not lost', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    const set = await setAt(server)
    await settle(link)
    await write(laptop, fatima, 44)
    await server.as.okafor.teachingSets.setStudents({ params: set, body: { studentIds: [mei.id] } })
    await settle(link)
    expect((await markOf(server, fatima))?.score).not.toBe(44)
    expect((await server.as.okafor.replication.refused()).map(({ entity, value }) => [entity, value])).toContainEqual([
      'grade',
      expect.objectContaining({ score: 44 }),
    ])
  })

  test('of somebody who is no teacher any more: who is in the sets leaves it', async () => {
    const { server, laptop, link } = await serverAndLaptop(open)
    await setAt(server)
    await settle(link)
    expect(await laptop.rows('teaching_set_member')).toHaveLength(2)
    await server.as.okafor.schools.updateMember({ params: { userId: people.ada.id }, body: { role: 'member' } })
    await settle(link)
    expect(await laptop.rows('teaching_set_member')).toEqual([])
  })
})

test('a set is deleted where its assessment is empty, while a mark is entered in it elsewhere: the mark is there everywhere', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const set = await setAt(centre)
  const made = await (await signedIn(centre, 'ada')).assessments.create({
    body: { termId: englishEssay.term_id, subjectId: english.id, assessmentType: 'coursework', title: 'Set paper', teachingSetId: set.id },
  })
  await settle(link)
  await write(box, mei, 41, made as typeof englishEssay)
  await (await signedIn(centre, 'okafor')).teachingSets.remove({ params: set })
  await settle(link)
  for (const node of [centre, box]) {
    expect(await markOf(node, mei, made as typeof englishEssay)).toMatchObject({ score: 41 })
    expect((await node.rows('assessment')).find(({ id }) => id === made.id)).toMatchObject({ teaching_set_id: set.id })
  }
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

test('an assessment that is given to a class at one node and to a set at the other is of one of both', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const set = await setAt(centre)
  const made = await (await signedIn(centre, 'okafor')).assessments.create({
    body: { termId: englishEssay.term_id, subjectId: english.id, assessmentType: 'coursework', title: 'Paper' },
  })
  await settle(link)
  await (await signedIn(centre, 'okafor')).assessments.update({ params: made, body: { teachingSetId: set.id } })
  await (await signedIn(box, 'okafor')).assessments.update({ params: made, body: { studentGroupId: class3A.id } })
  await settle(link)
  for (const node of [centre, box]) {
    const row = (await node.rows('assessment')).find(({ id }) => id === made.id)
    expect([row?.student_group_id, row?.teaching_set_id].filter(Boolean)).toHaveLength(1)
  }
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
})

test('a set that two nodes fill at once has the pupils of both, and one that is deleted at one and filled at the other lives', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const set = await setAt(centre, [mei])
  await settle(link)
  await (await signedIn(box, 'okafor')).teachingSets.setStudents({ params: set, body: { studentIds: [mei.id, zoe.id] } })
  await (await signedIn(centre, 'okafor')).teachingSets.setStudents({ params: set, body: { studentIds: [mei.id, fatima.id] } })
  await settle(link)
  for (const node of [centre, box])
    expect((await node.rows('teaching_set_member')).map(({ student_id }) => student_id).sort()).toEqual([mei.id, zoe.id, fatima.id].sort())
  await (await signedIn(centre, 'okafor')).teachingSets.remove({ params: set })
  await (await signedIn(box, 'okafor')).teachingSets.update({ params: set, body: { name: 'English first' } })
  await settle(link)
  const [a, b] = await same(centre, box)
  expect(b).toEqual(a)
  expect((await box.rows('teaching_set')).map(({ name }) => name)).toEqual(['English first'])
})
