import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { whatIf } from '@markbook/shared/domain/what-if'
import { naturalId } from '@markbook/shared/ids'
import { englishExam, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, english, maths } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asSystem } from '../../store/tx.ts'
import { signedIn, type UnderParent, under } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import { type School, school } from '../../testing/school.ts'
import { openConflicts } from './conflict-groups.ts'
import { issuesOf } from './issues.ts'

let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  centre = await school({ seed: 'centre' })
  box = await school({ seed: 'box', story: false, database: 'sqlite' })
  link = await under(centre, box)
  await link.round()
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

type Mark = { score: number; remarks?: string | null }
const gradeId = naturalId('grade', mathsExam.id, zoe.id)
const mark = ({ score, remarks }: Mark, assessmentId = mathsExam.id) => ({
  body: { assessmentId, grades: [{ studentId: zoe.id, score, ...(remarks !== undefined && { remarks }) }] },
})
const markAt = async (node: School, assessmentId = mathsExam.id) => {
  const found = (await node.rows('grade')).find((row) => row.assessment_id === assessmentId && row.student_id === zoe.id)
  return found && { score: found.score, remarks: found.remarks, is_excluded: found.is_excluded }
}
const openTo = (node: School, name: 'ada' | 'okafor') =>
  signedIn(node, name).then((client) => client.replication.conflicts({ query: { status: 'open' } }))
/** The number of open decisions, from every place that shows it. */
const counted = async (node: School) => {
  const { open_conflicts, sentence } = await (await signedIn(node, 'okafor')).replication.status()
  const here = await node.services.store.read(asSystem(), async (tx) => [await openConflicts(tx), (await issuesOf(tx, stBrigids)).length])
  expect(here).toEqual([open_conflicts, open_conflicts])
  expect(sentence.includes(`${open_conflicts} conflict`)).toBe(open_conflicts > 0)
  return open_conflicts
}
const records = async (node: School) => (await node.rows('sync_conflict')).map(({ unit, status }) => `${unit} ${status}`).sort()
const meet = async () => {
  for (let time = 0; time < 3; time += 1) await link.round()
}

/** Ada writes at the school, `atCentre` a minute later at the centre; then they meet. */
async function written(atSchool: () => Promise<unknown>, atCentre: () => Promise<unknown>) {
  await atSchool()
  centre.clock.advance(60_000)
  await atCentre()
  await meet()
}
const twoMarks = () =>
  written(
    async () => (await signedIn(box, 'ada')).grades.bulk(mark({ score: 81, remarks: 'Careful work.' })),
    () => centre.as.okafor.grades.bulk(mark({ score: 64, remarks: 'Late.' })),
  )

describe('an overruled mark with its remark', () => {
  test('the explanation of the result is under review, like the results of the class', async () => {
    await twoMarks()
    const query = { studentId: zoe.id, termId: mathsExam.term_id }
    const { subjects } = await centre.as.okafor.calculations.studentTerm({ query })
    const shown = subjects.find(({ subject_id }) => subject_id === maths.id)
    expect(shown).toMatchObject({ under_review: true })
    const working = await centre.as.okafor.calculations.explain({ query: { ...query, subjectId: maths.id } })
    expect(working.result).toEqual(shown)
    // A trial mark does not decide the conflict.
    const rules = { scale: defaultGradingScale, codes: [], categories: [] }
    expect(whatIf(working, rules, new Map())).toEqual(working)
    expect(whatIf(working, rules, new Map([[mathsExam.id, { mark: { score: 1 } }]])).result.under_review).toBe(true)
  })

  test('are one thing to decide, at both ends and wherever they are counted, of two records', async () => {
    await twoMarks()
    for (const node of [centre, box]) {
      expect(await records(node)).toEqual(['remarks open', 'score open'])
      expect(await counted(node)).toBe(1)
      for (const reader of ['ada', 'okafor'] as const)
        expect(await openTo(node, reader)).toMatchObject([
          {
            entity: 'grade',
            row_id: gradeId,
            units: ['score', 'remarks'],
            kept: { score: 81, remarks: 'Careful work.' },
            current: { score: 64, remarks: 'Late.' },
            before: { score: 71, remarks: null },
            actor: { id: people.ada.id },
            standing: { actor: { id: people.okafor.id } },
          },
        ])
    }
    expect(await openTo(centre, 'okafor')).toEqual(
      (await openTo(box, 'okafor')).map((each) => expect.objectContaining({ id: each.id, unit: each.unit })),
    )
  })

  test('taken, both are written, and both records are decided at both ends', async () => {
    await twoMarks()
    const [conflict] = await openTo(centre, 'okafor')
    const decided = await centre.as.okafor.replication.resolve({ params: { id: conflict?.id ?? '' }, body: { choice: 'kept' } })
    expect(decided).toMatchObject({ id: conflict?.id, status: 'resolved', current: { score: 81, remarks: 'Careful work.' } })
    await meet()
    for (const node of [centre, box]) {
      expect(await markAt(node)).toMatchObject({ score: 81, remarks: 'Careful work.' })
      expect(await records(node)).toEqual(['remarks resolved', 'score resolved'])
      expect(await counted(node)).toBe(0)
    }
    const again = { choice: 'typed' as const, value: { score: 64, remarks: 'Late.' }, again: true }
    await centre.as.okafor.replication.resolve({ params: { id: conflict?.id ?? '' }, body: again })
    expect(await markAt(centre)).toMatchObject({ score: 64, remarks: 'Late.' })
    expect((await centre.as.okafor.replication.conflicts()).map(({ units }) => units)).toEqual([['score', 'remarks']])
  })

  test('may be named by either record, as programs do that knew them one by one', async () => {
    await twoMarks()
    const shown = (await openTo(centre, 'okafor'))[0]?.id
    const other = (await centre.rows('sync_conflict')).find(({ id }) => id !== shown)
    await centre.as.okafor.replication.resolve({ params: { id: other?.id ?? '' }, body: { choice: 'current' } })
    expect(await records(centre)).toEqual(['remarks resolved', 'score resolved'])
    expect(await markAt(centre)).toMatchObject({ score: 64, remarks: 'Late.' })
  })

  test('with typed values, other columns stay, and a part of a unit is refused', async () => {
    await twoMarks()
    const id = (await openTo(centre, 'okafor'))[0]?.id ?? ''
    const type = (value: Record<string, unknown>) =>
      centre.as.ada.replication.resolve.raw({ params: { id }, body: { choice: 'typed', value } })
    for (const value of [{}, { exclusion_reason: 'x' }, { score: 70, title: 'x' }])
      expect(await refused(centre, () => type(value))).toEqual({ status: 400, code: 'validation_failed' })
    await type({ score: 70 })
    expect(await markAt(centre)).toMatchObject({ score: 70, remarks: 'Late.' })
    expect(await records(centre)).toEqual(['remarks resolved', 'score resolved'])
    const resolutions = (await centre.rows('sync_conflict')).map(({ unit, resolution }) => [unit, resolution])
    expect(Object.fromEntries(resolutions)).toEqual({
      score: { choice: 'typed', value: { score: 70 } },
      remarks: { choice: 'current', value: null },
    })
  })

  test('of two who decide at once, by one record and by the other, one gets 409', async () => {
    await twoMarks()
    const ids = (await centre.rows('sync_conflict')).map(({ id }) => id)
    const both = await Promise.all(
      ids.map((id, at) =>
        centre.as[at === 0 ? 'ada' : 'okafor'].replication.resolve.raw({ params: { id }, body: { choice: at === 0 ? 'kept' : 'current' } }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(new Set(await records(centre))).toEqual(new Set(['remarks resolved', 'score resolved']))
  })

  test('are one decision even if they were entered one after the other', async () => {
    await written(
      async () => {
        const ada = await signedIn(box, 'ada')
        await ada.grades.bulk(mark({ score: 81 }))
        box.clock.advance(1_000)
        await ada.grades.bulk(mark({ score: 81, remarks: 'Careful work.' }))
      },
      () => centre.as.okafor.grades.bulk(mark({ score: 64, remarks: 'Late.' })),
    )
    expect(await counted(centre)).toBe(1)
    expect(await openTo(centre, 'okafor')).toMatchObject([{ kept: { score: 81, remarks: 'Careful work.' } }])
  })

  test('of two people are two decisions', async () => {
    await written(
      async () => {
        await (await signedIn(box, 'ada')).grades.bulk(mark({ score: 81 }))
        await (await signedIn(box, 'byrne')).grades.bulk(mark({ score: 81, remarks: 'Careful work.' }))
      },
      () => centre.as.okafor.grades.bulk(mark({ score: 64, remarks: 'Late.' })),
    )
    expect(await counted(centre)).toBe(2)
    expect((await openTo(centre, 'okafor')).map(({ kept, actor }) => [kept, actor?.id]).sort()).toEqual(
      [
        [{ score: 81 }, people.ada.id],
        [{ remarks: 'Careful work.' }, people.byrne.id],
      ].sort(),
    )
  })

  test('a deletion cannot be decided with a value', async () => {
    await written(
      async () => {
        await (await signedIn(box, 'ada')).grades.bulk(mark({ score: 81 }))
        await (await signedIn(box, 'okafor')).assessments.remove({ params: { id: mathsExam.id } })
      },
      () => centre.as.okafor.grades.bulk(mark({ score: 64 })),
    )
    const ofMark = (await openTo(centre, 'okafor')).filter(({ entity }) => entity === 'grade')
    expect(ofMark.some(({ kept }) => kept === null)).toBe(true)
    for (const { kept, units } of ofMark) expect(kept === null ? units : kept).toEqual(kept === null ? ['row'] : { score: 81 })
  })
})

describe('a new mark of a teacher who had lost the right', () => {
  const toAda = (...subjects: { id: string }[]) => ({
    params: { classId: class3B.id },
    body: { teacherId: people.ada.id, subjectIds: subjects.map(({ id }) => id) },
  })

  /** Ada, on her laptop, marks English for the first time; meanwhile she has lost the subject. */
  async function lateMark() {
    await centre.services.store.write(asSystem(), async (tx) => {
      const before = await tx.find('grade', stBrigids, naturalId('grade', englishExam.id, zoe.id))
      if (before) await tx.remove('grade', [before])
    })
    await centre.as.okafor.classes.addTeacher(toAda(maths, english))
    const laptop = await school({ seed: 'laptop', story: false, database: 'sqlite' })
    const own = await under(centre, laptop, { user: people.ada.id })
    await own.round()
    await centre.as.okafor.classes.addTeacher(toAda(maths))
    await (await signedIn(laptop, 'ada')).grades.bulk(mark({ score: 33 }, englishExam.id))
    await own.round()
    await laptop.close()
    const [conflict, ...others] = await openTo(centre, 'okafor')
    expect(others).toEqual([])
    return conflict
  }

  test('is one thing to decide, of five records, and shows what was entered', async () => {
    const conflict = await lateMark()
    expect(await records(centre)).toEqual(['exclusion open', 'remarks open', 'row open', 'score open', 'status open'])
    expect(await counted(centre)).toBe(1)
    expect(conflict).toMatchObject({ kind: 'right', units: ['score'], kept: { score: 33 }, current: null, actor: { id: people.ada.id } })
    expect(await markAt(centre, englishExam.id)).toBeUndefined()
  })

  test.each([
    ['kept', undefined, 33],
    ['typed', { score: 34 }, 34],
  ] as const)('%s, it is there with all its parts, and all are decided', async (choice, value, score) => {
    const conflict = await lateMark()
    await centre.as.okafor.replication.resolve({ params: { id: conflict?.id ?? '' }, body: { choice, ...(value && { value }) } })
    expect(await markAt(centre, englishExam.id)).toEqual({ score, remarks: null, is_excluded: false })
    expect(await counted(centre)).toBe(0)
    expect(new Set((await centre.rows('sync_conflict')).map(({ status }) => status))).toEqual(new Set(['resolved']))
  })

  test('where somebody else has entered one meanwhile, only what differs is written', async () => {
    const conflict = await lateMark()
    await centre.as.byrne.grades.bulk(mark({ score: 50 }, englishExam.id))
    expect(await openTo(centre, 'okafor')).toMatchObject([{ units: ['score'], kept: { score: 33 }, current: { score: 50 } }])
    await centre.as.okafor.replication.resolve({ params: { id: conflict?.id ?? '' }, body: { choice: 'kept' } })
    expect(await markAt(centre, englishExam.id)).toEqual({ score: 33, remarks: null, is_excluded: false })
  })
})
