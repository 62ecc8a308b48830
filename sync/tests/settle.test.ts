import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Freeze,
  freezeOf,
  marked,
  settleAdmins,
  settleBook,
  settleEntry,
  settleMaximum,
  settleRequests,
  settleTerms,
  settleUniqueClaims,
  standing,
} from '../merge/settle.ts'
import type { RowState, Values } from '../merge/state.ts'
import { laptop, school, written } from './states.ts'

const idOf = (number: number) => `0190c8a0-0000-7000-8000-${String(number).padStart(12, '0')}`
const row = (table: Parameters<typeof written>[0], id: number, values: Values): RowState =>
  written(table, null, school, values, { at: 1_000, nr: 1, id: idOf(id) })

/** The answer as plain data, whatever the order in which it was found. */
const told = (settled: Map<string, unknown>) => [...settled].sort(([a], [b]) => (a < b ? -1 : 1))
const anyOrder = (states: readonly RowState[]) => fc.shuffledSubarray([...states], { minLength: states.length })
/** The answer is the same, in whatever order the rows came. */
const everyOrder = (states: readonly RowState[], answer: (order: readonly RowState[]) => unknown, expected: unknown) => {
  fc.assert(
    fc.property(anyOrder(states), (order) => {
      expect(answer(order)).toEqual(expected)
    }),
  )
}

describe('rows that claim the same', () => {
  const subjects = [3, 1, 2].map((id) => row('subject', id, { code: 'MATH', name: 'Mathematics' }))

  test('the smallest id has the code; the others get a mark by which they are told apart', () => {
    expect(told(settleUniqueClaims('code', subjects, { nullable: false }))).toEqual([
      [idOf(2), { unit: 'code', stands: { code: 'MATH~0002' }, reason: 'taken' }],
      [idOf(3), { unit: 'code', stands: { code: 'MATH~0003' }, reason: 'taken' }],
    ])
  })

  test('a row that is deleted and stays comes after those that live', () => {
    const states = subjects.map((state) => (state.id === idOf(1) ? { ...state, alive: [] } : state))
    const settled = settleUniqueClaims('code', states, { nullable: false })
    expect([...settled.keys()].sort()).toEqual([idOf(1), idOf(3)])
  })

  test('a student number that is taken is none', () => {
    const students = [row('student', 1, { student_number: '17' }), row('student', 2, { student_number: '17' })]
    const settled = settleUniqueClaims('student_number', students, { nullable: true })
    expect(told(settled)).toEqual([[idOf(2), { unit: 'student_number', stands: { student_number: null }, reason: 'taken' }]])
  })

  test('who claims it alone has it', () => {
    expect(settleUniqueClaims('code', subjects.slice(0, 1), { nullable: false }).size).toBe(0)
  })

  test('a mark fits into a code, and cuts no sign in half', () => {
    expect(marked('A'.repeat(20), idOf(7))).toBe(`${'A'.repeat(15)}~0007`)
    expect(marked(`${'A'.repeat(14)}🎓🎓`, idOf(7))).toBe(`${'A'.repeat(14)}🎓~0007`)
  })

  test('in whatever order they came, the same stands', () => {
    const expected = told(settleUniqueClaims('code', subjects, { nullable: false }))
    everyOrder(subjects, (order) => told(settleUniqueClaims('code', order, { nullable: false })), expected)
  })
})

describe('terms of one year', () => {
  const terms = ['hilary', 'hilary', 'michaelmas'].map((name, index) => row('term', index + 1, { name }))

  test('who loses its name to a smaller id gets one that nobody claims', () => {
    expect(told(settleTerms(terms))).toEqual([[idOf(2), { unit: 'name', stands: { name: 'trinity' }, reason: 'taken' }]])
  })

  test('no two ever stand with one name, as long as there are names, in whatever order they came', () => {
    const names = fc.array(fc.constantFrom('michaelmas', 'hilary', 'trinity'), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(
        names.chain((claimed) => anyOrder(claimed.map((name, index) => row('term', index, { name })))),
        (order) => {
          const settled = settleTerms(order)
          const stands = order.map(
            (state) =>
              standing(
                state,
                [settled.get(state.id)].filter((each) => each !== undefined),
              )['name'],
          )
          expect(new Set(stands).size).toBe(order.length)
          expect(told(settleTerms(order.toReversed()))).toEqual(told(settled))
        },
      ),
    )
  })

  test('with no known name left, and of a school’s own word, the name gets a mark that nobody claims', () => {
    const settledNames = (...names: string[]) =>
      [...settleTerms(names.map((name, index) => row('term', index, { name }))).values()].map(({ stands }) => stands['name'])
    const mark = idOf(3).slice(-4)
    expect(settledNames('michaelmas', 'hilary', 'trinity', 'hilary')).toEqual([`hilary~${mark}`])
    expect(settledNames('Semester 1', 'Semester 2', 'hilary', 'Semester 1')).toEqual([`Semester 1~${mark}`])
    const claimed = settledNames('Semester 1', `Semester 1~${mark}`, 'hilary', 'Semester 1')
    expect(claimed).toEqual([`Semeste~${idOf(3).replaceAll('-', '')}`])
  })
})

test('of requests that wait, the oldest waits; the others are rejected by nobody', () => {
  const requests = [2, 1, 3].map((id) => row('school_join_request', id, { status: 'pending' }))
  const stands = { status: 'rejected', reviewed_at: null, reviewed_by: null }
  const expected = [2, 3].map((id) => [idOf(id), { unit: 'status', stands, reason: 'taken' }])
  everyOrder(requests, (order) => told(settleRequests(order)), expected)
})

describe('a maximum under a score', () => {
  const exam = row('assessment', 1, { max_score: 100, weight: 20, assessment_type: 'exam' })
  const lowered = written('assessment', exam, laptop, { max_score: 40, weight: 25 }, { at: 2_000, nr: 1 })

  test('that fits every score stands', () => {
    expect(settleMaximum(lowered, 40)).toBeNull()
    expect(settleMaximum(lowered, null)).toBeNull()
  })

  test('below a score gives way to the highest that the assessment ever had; the rest of the unit stands as claimed', () => {
    const stands = { max_score: 100, weight: 25, assessment_type: 'exam', category_id: null }
    expect(settleMaximum(lowered, 87)).toEqual({ unit: 'scoring', stands, reason: 'score_above_maximum' })
  })

  test('never stands below a score', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 1 }), fc.nat(250), (maxima, top) => {
        const last = maxima.reduce<RowState>(
          (state, max_score, nr) => written('assessment', state, laptop, { max_score }, { at: 0, nr }),
          exam,
        )
        const settled = settleMaximum(last, top)
        expect(Number(standing(last, settled ? [settled] : [])['max_score'])).toBeGreaterThanOrEqual(top)
        expect(settled === null).toBe(top <= (maxima.at(-1) ?? 0))
      }),
    )
  })
})

describe('administrators', () => {
  const admin = (id: number) => row('school_management', id, { role: 'admin', is_active: true })
  const change = (before: RowState, values: Values, at: number) => written('school_management', before, laptop, values, { at, nr: at })
  const teacher = row('school_management', 9, { role: 'teacher', is_active: true })

  test('while there is one, nobody gets anything', () => {
    expect(settleAdmins([admin(1), change(admin(2), { role: 'teacher' }, 2_000), teacher])).toBeNull()
  })

  test('where the last two demoted each other, who lost the right last keeps it', () => {
    const members = [change(admin(1), { role: 'teacher' }, 3_000), change(admin(2), { role: 'teacher' }, 2_000), teacher]
    const expected = { id: idOf(1), settled: [{ unit: 'role', stands: { role: 'admin' }, reason: 'last_admin' }] }
    everyOrder(members, (order) => settleAdmins(order), expected)
  })

  test('who was set inactive is active again', () => {
    const members = [change(admin(1), { is_active: false }, 3_000), change(admin(2), { role: 'teacher' }, 2_000)]
    expect(settleAdmins(members)?.settled).toEqual([{ unit: 'is_active', stands: { is_active: true }, reason: 'last_admin' }])
  })

  test('when somebody was made active later says nothing of when the right was lost', () => {
    const earlier = change(change(admin(1), { role: 'teacher' }, 2_000), { is_active: true }, 9_000)
    expect(settleAdmins([earlier, change(admin(2), { role: 'teacher' }, 3_000)])?.id).toBe(idOf(2))
  })

  test('where the last two removed each other, the membership that went last is there again', () => {
    const removed = (id: number, at: number) => written('school_management', admin(id), laptop, {}, { at, nr: at, deletes: true })
    const members = [removed(1, 2_000), removed(2, 3_000), teacher]
    const expected = { id: idOf(2), settled: [{ unit: 'row', stands: {}, reason: 'last_admin' }] }
    everyOrder(members, (order) => settleAdmins(order), expected)
  })

  test('two that lost it in one transaction: the smaller id, in whatever order they came', () => {
    const members = [1, 2].map((id) => change(admin(id), { role: 'teacher' }, 2_000))
    everyOrder(members, (order) => settleAdmins(order)?.id, idOf(1))
  })

  test('a school that never had one gets none', () => {
    expect(settleAdmins([teacher])).toBeNull()
  })
})

describe('a book that was sent', () => {
  const freeze: Freeze = {
    snapshot: { entries: [] },
    class_teacher_remark: 'A good year',
    conduct: 'Good',
    attendance_percentage: 97,
    student_group_id: 'class-3b',
    entries: [{ subject_id: 'irish', manual_letter: 'A', teacher_remark: null }],
  }
  const { entries: _, ...content } = freeze
  const sent = row('report_book', 1, { ...content, status: 'sent_to_ministry', sent_snapshot: { frozen: freeze } })
  const entry = (subject_id: string, values: Values) =>
    row('report_book_entry', 5, { subject_id, manual_letter: null, teacher_remark: null, ...values })

  test('stands as it was sent', () => {
    expect(settleBook(sent)).toEqual([])
  })

  test('takes no remark that was written without knowing it; the others of its units are as claimed', () => {
    const late = { ...sent, values: { ...sent.values, conduct: 'Fair', snapshot: { entries: [1] } } }
    const settled = settleBook(late)
    expect(settled.map(({ unit, reason }) => [unit, reason])).toEqual([
      ['snapshot', 'sent'],
      ['conduct', 'sent'],
    ])
    expect(standing(late, settled)).toEqual(sent.values)
  })

  test('that is not sent holds nothing back', () => {
    const published = { ...sent, values: { ...sent.values, status: 'published', conduct: 'Fair' } }
    expect(freezeOf(published)).toBeNull()
    expect(settleBook(published)).toEqual([])
  })

  test('an entry shows what was sent', () => {
    expect(settleEntry(entry('irish', { manual_letter: 'A' }), freeze)).toEqual([])
    expect(settleEntry(entry('irish', { manual_letter: 'B', teacher_remark: null }), freeze)).toEqual([
      { unit: 'letter', stands: { manual_letter: 'A' }, reason: 'sent' },
    ])
  })

  test('an entry that was not sent is none', () => {
    expect(settleEntry(entry('music', {}), freeze)).toBeNull()
  })

  test('what stands does not depend on what was claimed against it', () => {
    const text = fc.option(fc.string(), { nil: null })
    fc.assert(
      fc.property(
        fc.record({ conduct: text, class_teacher_remark: text, attendance_percentage: fc.option(fc.nat(100), { nil: null }) }),
        (claims) => {
          const late = { ...sent, values: { ...sent.values, ...claims } }
          expect(standing(late, settleBook(late))).toEqual(sent.values)
        },
      ),
    )
  })
})
