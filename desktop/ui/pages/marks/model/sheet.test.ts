import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Grade, LiveMark } from '@markbook/shared/contract/grades'
import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { classTermResult } from '@markbook/shared/domain/results'
import { assessments, grades, mathsExam, mathsHomework, mathsQuiz, pupilsOf3B, students, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { Cursor } from './cursor.ts'
import { GridControl, type Said } from './grid-control.ts'
import { MarkQueue } from './mark-queue.ts'
import { Sheet } from './sheet.ts'

const columns = [mathsQuiz, mathsHomework, mathsExam] as unknown as Assessment[]
const at = '2026-01-12T08:00:00.000Z'
const ids: readonly string[] = pupilsOf3B.map(({ id }) => id)
const live = grades
  .filter(({ assessment_id, student_id }) => columns.some(({ id }) => id === assessment_id) && ids.includes(student_id))
  .map((grade): LiveMark => ({ ...grade, updated_at: at, is_waiting: false, is_above: false }))

let queue: MarkQueue<Grade>
let sheet: Sheet
let told: string[]
beforeEach(() => {
  queue = new MarkQueue<Grade>({
    send: async () => [],
    read: async () => [],
    arrived: () => {},
    keep: () => {},
    later: () => () => {},
    now: () => at,
    random: () => 1,
  })
  sheet = new Sheet(queue, people.ada.id, () => {})
  sheet.open()
  sheet.lay(pupilsOf3B, columns, michaelmas, defaultGradingScale)
  sheet.hear({ is_whole: true, marks: live, gone: [], touched: [] })
  told = []
})

const shown = (column: { id: string }, pupil: { id: string }) => sheet.standing(column.id, pupil.id)?.score ?? null
const fromOther = (score: number, more: Partial<LiveMark> = {}) => {
  const mark = live.find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id) as LiveMark
  sheet.hear({
    is_whole: false,
    marks: [{ ...mark, score, updated_by: people.byrne.id, updated_at: '2026-01-12T09:00:00.000Z', ...more }],
    gone: [],
    touched: [],
  })
}

describe('figures', () => {
  test('are those that the server computes, whatever the marks', () => {
    const assessment = assessments.filter(({ term_id, subject_id }) => term_id === michaelmas.id && subject_id === maths.id)
    const score = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(fc.array(score, { minLength: live.length, maxLength: live.length }), (shares) => {
        const marks = live.flatMap((mark, index) => {
          const share = shares[index] ?? null
          const max = assessment.find(({ id }) => id === mark.assessment_id)?.max_score ?? 0
          return share === null ? [] : [{ ...mark, score: Math.round(share * max * 100) / 100 }]
        })
        sheet.hear({ is_whole: true, marks, gone: [], touched: [] })
        const { students: results } = classTermResult({
          student_group_id: class3B.id,
          scale: defaultGradingScale,
          term: michaelmas,
          subjects: [maths],
          assessments: assessment,
          students: students
            .filter(({ id }) => ids.includes(id))
            .map((student) => ({
              ...student,
              subject_ids: [maths.id],
              grades: marks.filter(({ student_id }) => student_id === student.id),
            })),
        })
        for (const { student_id, subjects } of results) {
          const {
            coursework_average,
            exam_average,
            term_composite,
            letter_grade: letter,
            is_partial,
          } = subjects[0] as NonNullable<(typeof subjects)[0]>
          expect(sheet.figuresOf(student_id)).toEqual({ coursework_average, exam_average, term_composite, letter, is_partial })
        }
      }),
      { numRuns: 40 },
    )
  })

  test('follow what is typed before it is saved', () => {
    const before = sheet.figuresOf(zoe.id).exam_average
    expect(sheet.enter(mathsExam.id, zoe.id, '80', 71)).toBe('sent')
    expect([before, sheet.figuresOf(zoe.id).exam_average]).toEqual([71, 80])
  })
})

describe('a cell', () => {
  test('tells its own listeners and no others', () => {
    sheet.listenToCell(mathsExam.id, zoe.id)(() => told.push('zoe'))
    sheet.listenToCell(mathsExam.id, ids[0] ?? '')(() => told.push('other'))
    sheet.listen(zoe.id, () => told.push('row'))
    sheet.enter(mathsExam.id, zoe.id, '80', 71)
    expect(told).toEqual(['zoe', 'row'])
  })

  test('is the same object until something of it changes', () => {
    const before = sheet.cell(mathsExam.id, zoe.id)
    expect(sheet.cell(mathsExam.id, zoe.id)).toBe(before)
    fromOther(72)
    expect(sheet.cell(mathsExam.id, zoe.id)).not.toBe(before)
  })

  test('keeps what is no mark, sends nothing, and counts what was there', () => {
    expect(sheet.enter(mathsExam.id, zoe.id, '101', 71)).toBe('wrong')
    expect(sheet.cell(mathsExam.id, zoe.id).mistake).toEqual({ text: '101', reason: 'above_maximum' })
    expect([queue.all(), shown(mathsExam, zoe), sheet.mistakesThere()]).toEqual([[], 71, 1])
    expect(sheet.enter(mathsExam.id, zoe.id, '10', 71)).toBe('sent')
    expect(sheet.mistakesThere()).toBe(0)
  })

  test('says that two servers have different marks, until somebody has decided', () => {
    const { saved } = sheet.cell(mathsExam.id, zoe.id)
    sheet.review(new Set([saved?.id ?? '']))
    expect(sheet.cell(mathsExam.id, zoe.id).isReviewed).toBe(true)
    sheet.review(new Set())
    expect(sheet.cell(mathsExam.id, zoe.id).isReviewed).toBe(false)
  })

  test('typed over while somebody else saved another mark needs a decision', () => {
    fromOther(64)
    expect(sheet.enter(mathsExam.id, zoe.id, '80', 71)).toBe('contested')
    expect(sheet.cell(mathsExam.id, zoe.id).pending).toMatchObject({ state: 'conflict', score: 80, theirs: 64 })
    expect(shown(mathsExam, zoe)).toBe(64)
  })

  test('the same mark again saves nothing', () => {
    expect(sheet.enter(mathsExam.id, zoe.id, '71', 71)).toBe('kept')
    expect(queue.all()).toEqual([])
  })
})

describe('news of others', () => {
  test('stand out and are told; one’s own are not', () => {
    sheet.listenToNews((news) => told.push(...news.map(({ mark }) => String(mark?.score))))
    fromOther(64)
    fromOther(65, { updated_by: people.ada.id, updated_at: '2026-01-12T10:00:00.000Z' })
    expect(told).toEqual(['64'])
    expect(sheet.cell(mathsExam.id, zoe.id).isNews).toBe(true)
  })

  test('an echo of one’s own earlier word changes nothing', () => {
    fromOther(64, { updated_by: people.ada.id, updated_at: '2026-01-12T07:00:00.000Z' })
    expect(shown(mathsExam, zoe)).toBe(71)
  })

  test('a mark that went is gone, also where it is only missing from the whole', () => {
    const [first, ...others] = live
    sheet.hear({ is_whole: false, marks: [], gone: [first?.id ?? ''], touched: [] })
    expect(shown({ id: first?.assessment_id ?? '' }, { id: first?.student_id ?? '' })).toBeNull()
    sheet.hear({ is_whole: true, marks: others.slice(1), gone: [], touched: [] })
    expect(shown({ id: others[0]?.assessment_id ?? '' }, { id: others[0]?.student_id ?? '' })).toBeNull()
  })
})

describe('the grid’s keys', () => {
  const key = (name: string, held: object = {}) => ({ key: name, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held })
  let control: GridControl
  let cursor: Cursor
  let said: Said[]
  let pasted: string[][] | null
  beforeEach(() => {
    cursor = new Cursor()
    said = []
    pasted = null
    control = new GridControl(sheet, cursor, {
      say: (asked) => void said.push(asked),
      ask: () => {},
      paste: (block) => {
        pasted = block
      },
      takeBack: async () => true,
      focus: () => {},
      written: String,
    })
  })

  test('a mark is typed, taken by Enter, and the next stands below', () => {
    cursor.go({ row: 1, col: 2 })
    expect(control.key(key('8'))).toBe(true)
    expect(cursor.editing).toMatchObject({ text: '8', caret: false })
    control.keyInField(key('Enter'), '80')
    expect(cursor.at).toEqual({ row: 2, col: 2 })
    expect(control.scoreAt({ row: 1, col: 2 })).toBe(80)
  })

  test('Esc leaves the mark as it was', () => {
    cursor.go({ row: 1, col: 2 })
    control.key(key('8'))
    control.keyInField(key('Escape'), '80')
    expect([control.scoreAt({ row: 1, col: 2 }), queue.all()]).toEqual([71, []])
  })

  test('Ctrl+Z takes back the last save, and then the one before', async () => {
    for (const [row, text] of [
      [1, '80'],
      [2, '50'],
    ] as const) {
      cursor.go({ row, col: 2 })
      control.edit(text)
      control.take(text)
    }
    await control.undo()
    expect([control.scoreAt({ row: 1, col: 2 }), control.scoreAt({ row: 2, col: 2 })]).toEqual([80, 55])
    await control.undo()
    expect(control.scoreAt({ row: 1, col: 2 })).toBe(71)
    await control.undo()
    expect(said.at(-1)).toEqual({ word: 'undoNone' })
  })

  test('a mark cannot be cleared, and that is said', () => {
    cursor.go({ row: 1, col: 2 })
    control.key(key('Delete'))
    expect(said).toEqual([{ word: 'cannotClear' }])
    expect(control.scoreAt({ row: 1, col: 2 })).toBe(71)
  })

  test('a letter is no mark, and that is said where one could be typed', () => {
    cursor.go({ row: 1, col: 2 })
    expect(control.key(key('q'))).toBe(false)
    expect(said).toEqual([{ word: 'noMark' }])
    control.isReadOnly = true
    control.key(key('q'))
    expect([said.length, cursor.editing]).toEqual([1, null])
  })

  test('a block is copied as spreadsheets read it, figures too', () => {
    cursor.choose({ row: 1, col: 1 }, { row: 2, col: 3 })
    expect(control.copied()).toBe('9\t71\t90\n6.5\t55\t62.5')
  })

  test('one pasted cell is typed, more are shown first', () => {
    cursor.go({ row: 1, col: 2 })
    control.pasted('80\r\n')
    expect(control.scoreAt({ row: 1, col: 2 })).toBe(80)
    control.pasted('1\n2\n')
    expect(pasted).toEqual([['1'], ['2']])
  })

  test('whoever may only read changes nothing', () => {
    control.isReadOnly = true
    cursor.go({ row: 1, col: 2 })
    control.key(key('8'))
    control.pasted('80')
    expect([cursor.editing, queue.all()]).toEqual([null, []])
  })
})
