import { defaultGradingScale } from '@markbook/shared/domain/letters'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileName } from '../../components/save-file.ts'
import {
  byAssessment,
  type CheckInput,
  type Finding,
  findingKinds,
  findingsOf,
  findingsOfBooks,
  pupilOutliers,
  subjectOutliers,
  unusual,
} from './checks.ts'
import { isAttendance, lettersFor } from './field-values.ts'
import { runEach } from './run-each.ts'

const [maths, irish, english] = ['Maths', 'Irish', 'English'].map((name) => ({ id: name, name, code: name.slice(0, 2) })) as [
  Subject,
  Subject,
  Subject,
]
type Subject = { id: string; name: string; code: string }
const pupil = (id: string) => ({ id, first_name: id, last_name: 'Pupil' })
const [zoe, mei] = [pupil('zoe'), pupil('mei')]

const book = (student: typeof zoe, more: Partial<CheckInput['books'][number]> = {}) => ({
  id: `book of ${student.id}`,
  status: 'draft' as const,
  student,
  class_teacher_remark: 'Steady.',
  conduct: 'Good',
  attendance_percentage: 97,
  attendance: null,
  ...more,
})
const entry = (student: typeof zoe, subject: Subject, more: Partial<CheckInput['entries'][number]> = {}) => ({
  id: `${student.id} ${subject.id}`,
  report_book_id: `book of ${student.id}`,
  subject,
  coursework_average: 70,
  exam_average: 70,
  term_composite: 70,
  year_grade: null,
  teacher_remark: 'Fine.',
  ...more,
})
type Live = CheckInput['live'][number]['subjects'][number]
const live = (student: typeof zoe, subjects: readonly Subject[], more: Partial<Live> = {}) => ({
  student,
  subjects: subjects.map((subject) => ({ subject, result: 70, is_partial: false, under_review: false, ...more })),
})
const checked = (more: Partial<CheckInput> = {}): CheckInput => ({
  books: [book(zoe)],
  entries: [entry(zoe, maths)],
  live: [live(zoe, [maths])],
  missing: [],
  behind: new Set<string>(),
  unassessed: [],
  result: 'term_composite',
  ...more,
})
const kinds = (more: Partial<CheckInput>) => findingsOf(checked(more)).map(({ kind, student, subject }) => [kind, student?.id, subject?.id])

describe('the check before publishing', () => {
  test('finds nothing where nothing is missing', () => {
    expect(kinds({})).toEqual([])
  })

  test('finds missing texts: remarks, conduct, attendance; spaces do not count', () => {
    const books = [book(zoe, { class_teacher_remark: ' ', conduct: null, attendance_percentage: null })]
    expect(kinds({ books, entries: [entry(zoe, maths, { teacher_remark: '' })] })).toEqual([
      ['no_class_remark', 'zoe', undefined],
      ['no_subject_remark', 'zoe', 'Maths'],
      ['no_conduct', 'zoe', undefined],
      ['no_attendance', 'zoe', undefined],
    ])
  })

  test('finds letters that the PDF’s fonts do not have, in a name, a remark or the conduct', () => {
    const named = { ...zoe, first_name: '小明' }
    expect(kinds({ books: [book(named)] })).toEqual([['unprinted', 'zoe', undefined]])
    expect(kinds({ books: [book(zoe, { conduct: 'Good 👍' })] })).toEqual([['unprinted', 'zoe', undefined]])
    expect(kinds({ books: [book(zoe, { class_teacher_remark: 'טוב' })] })).toEqual([['unprinted', 'zoe', undefined]])
    expect(kinds({ entries: [entry(zoe, maths, { teacher_remark: 'ดีมาก' })] })).toEqual([['unprinted', 'zoe', 'Maths']])
    expect(
      kinds({ books: [book({ ...zoe, first_name: 'أحمد Ọlá', last_name: 'Жуков' }, { conduct: '“Très bien”, 95 % – ممتاز؟' })] }),
    ).toEqual([])
    expect(kinds({ books: [book(named, { status: 'sent_to_ministry' })] })).toEqual([])
  })

  test('asks for no remark in a subject without a result', () => {
    const none = { coursework_average: null, exam_average: null, term_composite: null, teacher_remark: null }
    const nothing = {
      student: zoe,
      subjects: [{ subject: maths, result: null, is_partial: false, under_review: false }],
    }
    expect(kinds({ entries: [entry(zoe, maths, none)], live: [nothing] })).toEqual([])
  })

  test('finds a pupil without a report book, and one that is older than the marks, unless it was sent', () => {
    expect(kinds({ live: [live(zoe, [maths]), live(mei, [maths])] })).toEqual([['no_book', 'mei', undefined]])
    const behind = new Set(['book of zoe'])
    expect(kinds({ behind })).toEqual([['out_of_date', 'zoe', undefined]])
    expect(kinds({ behind, books: [book(zoe, { status: 'sent_to_ministry' })] })).toEqual([])
  })

  test('finds a subject without an assessment, for the whole class', () => {
    expect(kinds({ unassessed: [irish] })).toEqual([['no_assessment', undefined, 'Irish']])
    const found = findingsOf(checked({ unassessed: [irish], behind: new Set(['book of zoe']) }))
    expect(findingsOfBooks(found, [{ student: mei }]).map(({ kind }) => kind)).toEqual(['no_assessment'])
    expect(findingsOfBooks(found, [{ student: zoe }]).map(({ kind }) => kind)).toEqual(['out_of_date', 'no_assessment'])
  })

  test('finds missing marks, and results that are partial or under review', () => {
    const missing = [{ subject: maths, title: 'Quiz', students: [zoe] }]
    expect(kinds({ missing, live: [live(zoe, [maths], { is_partial: true, under_review: true })] })).toEqual([
      ['under_review', 'zoe', 'Maths'],
      ['missing_mark', 'zoe', 'Maths'],
      ['partial', 'zoe', 'Maths'],
    ])
  })

  test('finds an exam far from the coursework, such as 7 for 70', () => {
    const parts = { coursework_average: 70, exam_average: 7 }
    expect(kinds({ live: [live(zoe, [maths], parts)] })).toEqual([['exam_outlier', 'zoe', 'Maths']])
    const ofYear = { result: 'year_grade' as const, entries: [entry(zoe, maths, { ...parts, year_grade: 70 })] }
    expect(kinds(ofYear)).toEqual([['exam_outlier', 'zoe', 'Maths']])
  })

  test('finds no such exam in a report book that still holds the mark of before', () => {
    const behind = new Set(['book of zoe'])
    const entries = [entry(zoe, maths, { exam_average: 7, year_grade: 70 })]
    const parts = { coursework_average: 70, exam_average: 71 }
    expect(kinds({ behind, entries, live: [live(zoe, [maths], parts)] })).toEqual([['out_of_date', 'zoe', undefined]])
    expect(kinds({ behind, entries, result: 'year_grade' })).toEqual([['out_of_date', 'zoe', undefined]])
  })

  test('finds nothing in report books that were sent, which cannot be changed', () => {
    const books = [book(zoe, { status: 'sent_to_ministry', class_teacher_remark: null })]
    const missing = [{ subject: maths, title: 'Quiz', students: [zoe] }]
    expect(kinds({ books, missing, entries: [entry(zoe, maths, { exam_average: 1, teacher_remark: null, term_composite: 1 })] })).toEqual(
      [],
    )
  })

  test('uses the year grade for year-end report books', () => {
    expect(kinds({ result: 'year_grade', entries: [entry(zoe, maths, { year_grade: 70, term_composite: 3 })] })).toEqual([])
  })
})

describe('outliers', () => {
  const points = (rows: Record<string, readonly number[]>) =>
    Object.entries(rows).flatMap(([id, values]) =>
      [maths, irish, english].flatMap((subject, at) => {
        const value = values[at]
        return value === undefined ? [] : [{ student: pupil(id), subject, value }]
      }),
    )

  test('a hard subject makes no pupil an outlier', () => {
    expect(pupilOutliers(points({ zoe: [40, 80, 80], mei: [42, 82, 82], al: [38, 78, 78] }))).toEqual([])
  })

  test('a result unlike the pupil’s others is found, with the usual result', () => {
    const found = pupilOutliers(points({ zoe: [70, 70, 7], mei: [70, 72, 71], al: [68, 70, 70], oz: [72, 69, 70], ed: [70, 70, 70] }))
    expect(found.map(({ student, subject, found: value }) => [student?.id, subject?.id, value])).toEqual([['zoe', 'English', 7]])
  })

  test('nothing is found with only one other subject', () => {
    expect(pupilOutliers(points({ zoe: [100, 0], mei: [0, 100] }))).toEqual([])
    expect(subjectOutliers(points({ zoe: [100, 0] }))).toEqual([])
  })

  test('a subject whose mean is far from the others’ is found', () => {
    const found = subjectOutliers(points({ zoe: [70, 72, 45], mei: [74, 70, 51] }))
    expect(found.map(({ subject, found: mean, usual }) => [subject?.id, mean, usual])).toEqual([['English', 48, 71.5]])
  })

  test('nobody with equal results is an outlier, and an outlier is far from the usual result', () => {
    const percentage = fc.integer({ min: 0, max: 100 })
    fc.assert(
      fc.property(
        fc.array(percentage, { maxLength: 12 }),
        fc.array(fc.tuple(percentage, percentage, percentage), { maxLength: 12 }),
        (level, any) => {
          expect(pupilOutliers(points(Object.fromEntries(level.map((value, at) => [`p${at}`, [value, value, value]]))))).toEqual([])
          // The usual result is limited to 0 to 100, which can only reduce the distance.
          for (const { found = 0, usual = 0 } of pupilOutliers(points(Object.fromEntries(any.map((values, at) => [`p${at}`, values])))))
            expect(Math.abs(found - usual) >= unusual.pupil || usual === 0 || usual === 100).toBe(true)
        },
      ),
    )
  })
})

describe('fields and actions', () => {
  test('attendance is a percentage with at most two decimals, or empty', () => {
    expect(['', ' ', '0', '100', '97,5', '97.25'].every(isAttendance)).toBe(true)
    expect(['101', '-1', 'x', '97.255', '9 7 %'].some(isAttendance)).toBe(false)
  })

  test('the choice has the letters of the scale, with the calculated one and one given by hand', () => {
    expect(lettersFor(defaultGradingScale, 71, 'B')).toEqual({ calculated: 'B', letters: ['A+', 'A', 'B', 'C', 'D', 'F'] })
    expect(lettersFor(defaultGradingScale, null, 'Merit')).toMatchObject({ calculated: null, letters: expect.arrayContaining(['Merit']) })
  })

  test('runEach continues after a failure', async () => {
    const told: string[] = []
    const run = await runEach(
      [1, 2, 3],
      async (item) => {
        if (item === 2) throw new Error('locked')
      },
      ({ done, failed }) => told.push(`${done}/${failed.length}`),
    )
    expect(told).toEqual(['0/0', '1/0', '2/1', '3/1'])
    expect(run.failed.map(({ item }) => item)).toEqual([2])
  })

  test('file names keep letters of any script, and no other signs', () => {
    expect(fileName('3B', '2025/26', 'Ó Briain: Élan', '')).toBe('3B_2025-26_Ó-Briain-Élan')
  })
})

describe('many missing marks', () => {
  const missing = (student: typeof zoe, subject: Subject, title: string): Finding => ({ kind: 'missing_mark', student, subject, title })
  const all = [
    missing(zoe, maths, 'Quiz'),
    missing(zoe, irish, 'Oral'),
    missing(mei, irish, 'Oral'),
    missing(mei, irish, 'Essay'),
    { kind: 'exam_outlier' as const, student: mei, subject: maths, found: 10, usual: 80 },
  ]

  test('are one line for each assessment, the one with most missing marks first', () => {
    expect(
      byAssessment(all).map(({ subject, title, findings }) => [subject.id, title, findings.map(({ student }) => student?.id)]),
    ).toEqual([
      ['Irish', 'Oral', ['zoe', 'mei']],
      ['Maths', 'Quiz', ['zoe']],
      ['Irish', 'Essay', ['mei']],
    ])
  })

  test('come after outliers', () => {
    const place = (kind: Finding['kind']) => findingKinds.indexOf(kind)
    for (const kind of ['under_review', 'exam_outlier', 'pupil_outlier', 'subject_outlier'] as const)
      expect(place(kind)).toBeLessThan(place('missing_mark'))
  })
})
