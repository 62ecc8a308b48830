import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Grade, LiveMark } from '@markbook/shared/contract/grades'
import { defaultGradingScale } from '@markbook/shared/domain/letters'
import { standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { classTermResult } from '@markbook/shared/domain/results'
import {
  assessments,
  elan,
  grades,
  mathsExam,
  mathsHomework,
  mathsQuiz,
  mei,
  pupilsOf3B,
  students,
  zoe,
} from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { GridController, type GridMessage } from './grid-controller.ts'
import { key } from './key.fixtures.ts'
import { MarkQueue } from './mark-queue.ts'
import { isSavedMeanwhile } from './mark-values.ts'
import type { CellPosition } from './navigation.ts'
import type { PendingMark } from './pending-mark.ts'
import { GridSelection } from './selection.ts'
import { rowPart, Sheet } from './sheet.ts'
import type { RestoreAnswer } from './undo-commands.ts'

const columns = [mathsQuiz, mathsHomework, mathsExam] satisfies Assessment[]
/** Term, scale, codes and categories of a layout. */
const rules = [michaelmas, defaultGradingScale, standardMarkCodes, []] as const
const at = '2026-01-12T08:00:00.000Z'
const ids: readonly string[] = pupilsOf3B.map(({ id }) => id)
const live = grades
  .filter(({ assessment_id, student_id }) => columns.some(({ id }) => id === assessment_id) && ids.includes(student_id))
  .map((grade): LiveMark => ({ ...grade, status: null, updated_at: at, is_waiting: false, is_above: false }))

let queue: MarkQueue<Grade>
let sheet: Sheet
let told: string[]
beforeEach(() => {
  queue = new MarkQueue<Grade>({
    send: async () => [],
    remove: async () => {},
    removed: () => {},
    read: async () => [],
    saved: () => {},
    store: () => {},
    later: () => () => {},
    now: () => at,
    random: () => 1,
  })
  sheet = new Sheet(queue, people.ada.id, () => {})
  sheet.open()
  sheet.setLayout(pupilsOf3B, columns, ...rules)
  sheet.receive({ is_whole: true, marks: live, gone: [], touched: [] })
  told = []
})

const shown = (column: { id: string }, pupil: { id: string }) => sheet.effectiveMark(column.id, pupil.id)?.score ?? null
const fromOther = (score: number, more: Partial<LiveMark> = {}) => {
  const mark = live.find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id) as LiveMark
  sheet.receive({
    is_whole: false,
    marks: [{ ...mark, score, updated_by: people.byrne.id, updated_at: '2026-01-12T09:00:00.000Z', ...more }],
    gone: [],
    touched: [],
  })
}

describe('figures', () => {
  test('equal those of the server', () => {
    const assessment = assessments.filter(({ term_id, subject_id }) => term_id === michaelmas.id && subject_id === maths.id)
    const score = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(fc.array(score, { minLength: live.length, maxLength: live.length }), (shares) => {
        const marks = live.flatMap((mark, index) => {
          const share = shares[index] ?? null
          const max = assessment.find(({ id }) => id === mark.assessment_id)?.max_score ?? 0
          return share === null ? [] : [{ ...mark, score: Math.round(share * max * 100) / 100 }]
        })
        sheet.receive({ is_whole: true, marks, gone: [], touched: [] })
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

  test('include typed marks before they are saved', () => {
    const before = sheet.figuresOf(zoe.id).exam_average
    expect(sheet.enter(mathsExam.id, zoe.id, '80', 71)).toBe('sent')
    expect([before, sheet.figuresOf(zoe.id).exam_average]).toEqual([71, 80])
  })
})

describe('the sheet of a teaching set', () => {
  const [of3A, of3B] = ['00000000-0000-7000-8000-00000000003a', class3B.id]
  const [zoeOf3B, other, gone] = [
    { ...zoe, class: { id: of3B, name: '3B' } },
    { ...elan, class: { id: of3A, name: '3A' } },
    { ...mei, class: null },
  ]
  beforeEach(() => sheet.setLayout([zoeOf3B, other, gone], columns, ...rules))

  test('has cells for the assessments of every class and of the pupil’s own; others are closed, and their marks do not count', () => {
    const open = (column: { id: string }) => [zoeOf3B, other, gone].map(({ id }) => sheet.isFor(column.id, id))
    expect(mathsHomework.student_group_id).toBe(of3B)
    expect(open(mathsHomework)).toEqual([true, false, false])
    expect(open(mathsExam)).toEqual([true, true, false])
    expect(live.some(({ assessment_id, student_id }) => assessment_id === mathsHomework.id && student_id === elan.id)).toBe(true)
    expect(shown(mathsHomework, elan)).toBeNull()
  })

  test('an assessment of a set is for its members, and for pupils who have a mark in it', () => {
    const hasMark = ({ id }: { id: string }) =>
      live.some(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === id)
    const others = pupilsOf3B.filter(({ id }) => id !== zoe.id)
    const [marked, unmarked] = [others.find(hasMark), others.find((pupil) => !hasMark(pupil))]
    const ofSet = { ...mathsExam, teaching_set_id: 'set', teaching_set: { id: 'set', name: 'Upper', student_ids: [zoe.id] } }
    sheet.setLayout(pupilsOf3B, [ofSet, mathsQuiz], ...rules)
    const open = (column: { id: string }) => [zoe, marked, unmarked].map((pupil) => sheet.isFor(column.id, pupil?.id ?? ''))
    expect(open(ofSet)).toEqual([true, true, false])
    expect(open(mathsQuiz)).toEqual([true, true, true])
    expect(sheet.enter(ofSet.id, unmarked?.id ?? '', '3', null)).toBe('unchanged')
  })

  test('takes no mark in a closed cell, typed, filled in or pasted', () => {
    const controller = new GridController(sheet, new GridSelection())
    const [row, col] = [1, columns.indexOf(mathsHomework)]
    expect(controller.idsAt({ row, col })).toBeNull()
    expect(controller.idsAt({ row: 0, col })).not.toBeNull()
    expect(sheet.enter(mathsHomework.id, elan.id, '3', null)).toBe('unchanged')
    controller.enterMarks([{ row, col, score: 3 }])
    sheet.put([{ assessmentId: mathsHomework.id, studentId: elan.id, score: 3, seen: null }])
    expect(queue.all()).toEqual([])
  })
})

describe('a cell', () => {
  test('notifies its own listeners only', () => {
    sheet.listenToCell(mathsExam.id, zoe.id)(() => told.push('zoe'))
    sheet.listenToCell(mathsExam.id, ids[0] ?? '')(() => told.push('other'))
    sheet.listen(zoe.id, () => told.push('row'))
    sheet.enter(mathsExam.id, zoe.id, '80', 71)
    expect(told).toEqual(['zoe', 'row'])
  })

  test('is the same object until it changes', () => {
    const before = sheet.cell(mathsExam.id, zoe.id)
    expect(sheet.cell(mathsExam.id, zoe.id)).toBe(before)
    fromOther(72)
    expect(sheet.cell(mathsExam.id, zoe.id)).not.toBe(before)
  })

  test('keeps an invalid entry, sends nothing, and counts the former mark', () => {
    expect(sheet.enter(mathsExam.id, zoe.id, '101', 71)).toBe('wrong')
    expect(sheet.cell(mathsExam.id, zoe.id).invalid).toEqual({ text: '101', reason: 'above_maximum' })
    expect([queue.all(), shown(mathsExam, zoe), sheet.invalidCount()]).toEqual([[], 71, 1])
    expect(sheet.enter(mathsExam.id, zoe.id, '10', 71)).toBe('sent')
    expect(sheet.invalidCount()).toBe(0)
  })

  test('shows the present value after a change that was taken back unread', () => {
    const before = sheet.figuresOf(zoe.id)
    sheet.cell(mathsExam.id, zoe.id)
    fromOther(12)
    expect(sheet.figuresOf(zoe.id).exam_average).toBe(12)
    fromOther(71)
    expect(sheet.figuresOf(zoe.id)).toEqual(before)
    expect(sheet.cell(mathsExam.id, zoe.id).saved?.score).toBe(71)
  })

  test('a layout that is set again notifies nobody', () => {
    const told = vi.fn()
    sheet.listen('layout', told)
    sheet.setLayout(pupilsOf3B, columns, ...rules)
    expect(told).not.toHaveBeenCalled()
    sheet.setLayout(pupilsOf3B, [...columns], ...rules)
    expect(told).toHaveBeenCalledTimes(1)
  })

  test('a sheet that is opened after it was drawn keeps its figures, unless the queue has changed', () => {
    const drawn = new Sheet(queue, people.ada.id, () => {})
    drawn.setLayout(pupilsOf3B, columns, ...rules)
    drawn.receive({ is_whole: true, marks: live, gone: [], touched: [] })
    const figures = drawn.figuresOf(zoe.id)
    const close = drawn.open()
    expect(drawn.figuresOf(zoe.id)).toBe(figures)
    close()
    queue.put([{ assessmentId: mathsExam.id, studentId: zoe.id, score: 11, seen: shown(mathsExam, zoe) }])
    drawn.open()
    expect(drawn.figuresOf(zoe.id)).not.toEqual(figures)
  })

  test('a row is the same list until one of its cells changes, and then notifies its listeners', () => {
    const rows = ids.map((id) => sheet.row(id))
    const read = vi.fn()
    sheet.listen(rowPart(zoe.id), read)
    sheet.setInReview(new Set())
    sheet.setLayout([...pupilsOf3B], columns, ...rules)
    expect(ids.map((id) => sheet.row(id))).toEqual(rows)
    for (const [at, id] of ids.entries()) expect(sheet.row(id)).toBe(rows[at])
    read.mockClear()
    fromOther(12)
    expect(read).toHaveBeenCalledTimes(1)
    const changed = ids.filter((id, at) => sheet.row(id) !== rows[at])
    expect(changed).toEqual([zoe.id])
    expect(sheet.row(zoe.id).map(({ saved }) => saved?.score ?? null)).toEqual(columns.map((column) => shown(column, zoe)))
  })

  test('a sheet is ready once the server has sent its marks, or stored ones are shown', () => {
    const fresh = () => new Sheet(queue, people.ada.id, () => {})
    const [sent, remembered] = [fresh(), fresh()]
    const told = vi.fn()
    for (const one of [sent, remembered]) one.listen('state', told)
    expect([sent.isReady, remembered.isReady]).toEqual([false, false])
    sent.receive({ is_whole: true, marks: [], gone: [], touched: [] })
    remembered.begin([])
    expect([sent.isReady, remembered.isReady]).toEqual([true, true])
    expect(told).toHaveBeenCalledTimes(2)
  })

  test('is in review while it has an open replication conflict', () => {
    const { saved } = sheet.cell(mathsExam.id, zoe.id)
    sheet.setInReview(new Set([saved?.id ?? '']))
    expect(sheet.cell(mathsExam.id, zoe.id).isInReview).toBe(true)
    sheet.setInReview(new Set())
    expect(sheet.cell(mathsExam.id, zoe.id).isInReview).toBe(false)
  })

  test('becomes a conflict when somebody else saved another mark during the edit', () => {
    fromOther(64)
    expect(sheet.enter(mathsExam.id, zoe.id, '80', 71)).toBe('conflict')
    expect(sheet.cell(mathsExam.id, zoe.id).pending).toMatchObject({ state: 'conflict', score: 80, theirs: 64 })
    expect(shown(mathsExam, zoe)).toBe(64)
  })

  test('entering the same mark saves nothing, unless the server is away', () => {
    expect(sheet.enter(mathsExam.id, zoe.id, '71', 71)).toBe('unchanged')
    expect(queue.all()).toEqual([])
    // Without the server the mark may have changed.
    sheet.disconnect()
    expect(sheet.enter(mathsExam.id, zoe.id, '71', 71)).toBe('sent')
    expect(queue.all()).toMatchObject([{ score: 71, state: 'waiting' }])
  })
})

test('a sheet is unread until it has marks, from the server or stored ones', () => {
  const opened = () => new Sheet(queue, people.ada.id, () => {})
  const [without, earlier, heard] = [opened(), opened(), opened()]
  without.begin(null)
  expect([without.isReady, without.isUnread]).toEqual([true, true])
  earlier.begin([])
  expect(earlier.isUnread).toBe(false)
  heard.receive({ is_whole: true, marks: [], gone: [], touched: [] })
  expect(heard.isUnread).toBe(false)
})

describe('changes of others', () => {
  test('are highlighted and announced; the user’s own changes are not', () => {
    sheet.listenToRemoteChanges((news) => told.push(...news.map(({ mark }) => String(mark?.score))))
    fromOther(64)
    fromOther(65, { updated_by: people.ada.id, updated_at: '2026-01-12T10:00:00.000Z' })
    expect(told).toEqual(['64'])
    expect(sheet.cell(mathsExam.id, zoe.id).isRecentChange).toBe(true)
  })

  test('an older change of the same user has no effect', () => {
    fromOther(64, { updated_by: people.ada.id, updated_at: '2026-01-12T07:00:00.000Z' })
    expect(shown(mathsExam, zoe)).toBe(71)
  })

  test('a deleted mark disappears, also where a whole event does not have it', () => {
    const [first, ...others] = live
    sheet.receive({ is_whole: false, marks: [], gone: [first?.id ?? ''], touched: [] })
    expect(shown({ id: first?.assessment_id ?? '' }, { id: first?.student_id ?? '' })).toBeNull()
    sheet.receive({ is_whole: true, marks: others.slice(1), gone: [], touched: [] })
    expect(shown({ id: others[0]?.assessment_id ?? '' }, { id: others[0]?.student_id ?? '' })).toBeNull()
  })
})

describe('the grid’s keys', () => {
  let controller: GridController
  let selection: GridSelection
  /** Types into the open editor. */
  const type = (text: string) => {
    if (selection.editing) selection.editing.typed = text
  }
  let said: GridMessage[]
  let shown: string[]
  let pasted: string[][] | null
  /** The deletions that the server undid. */
  let undone: string[]
  let answer: RestoreAnswer
  beforeEach(() => {
    selection = new GridSelection()
    said = []
    shown = []
    pasted = null
    undone = []
    answer = 'done'
    controller = new GridController(sheet, selection)
    controller.host = {
      announce: (asked) => void said.push(asked),
      openAt: (dialog) => void shown.push(dialog),
      previewPaste: (block) => {
        pasted = block
      },
      restore: async (gradeId) => {
        undone.push(gradeId)
        return answer
      },
      focusGrid: () => {},
    }
  })

  test('Enter commits a typed mark and moves down', () => {
    selection.moveTo({ row: 1, col: 2 })
    expect(controller.handleKey(key('8'))).toBe(true)
    expect(selection.editing).toMatchObject({ text: '8', caret: false })
    type('80')
    controller.handleEditorKey(key('Enter'))
    expect(selection.active).toEqual({ row: 2, col: 2 })
    expect(controller.valueAt({ row: 1, col: 2 })).toBe(80)
  })

  describe('after the last pupil', () => {
    const last = { row: pupilsOf3B.length - 1, col: 2 }
    const enter = (text: string, end: string) => {
      for (const letter of text) {
        if (selection.editing) type(`${selection.editing.typed}${letter}`)
        else controller.handleKey(key(letter))
      }
      if (selection.editing) controller.handleEditorKey(key(end))
      else controller.handleKey(key(end))
    }
    beforeEach(() => selection.moveTo(last))

    test.each(['Enter', 'ArrowDown'])('numbers too many are not taken after %s, and this is said', (end) => {
      enter('80', end)
      expect(selection.active).toEqual(last)
      expect(said).toEqual([])
      for (const surplus of ['12', '7']) enter(surplus, end)
      expect(selection.editing).toBeNull()
      expect(controller.valueAt(last)).toBe(80)
      expect(said).toEqual(Array.from({ length: 3 }, () => ({ key: 'pastEnd', ...controller.idsAt(last) })))
    })

    test('nor into the first assessment of the last row, to which Enter returns after Tabs', () => {
      selection.moveTo({ ...last, col: 0 })
      enter('5', 'Tab')
      enter('6', 'Enter')
      expect(selection.active).toEqual({ ...last, col: 0 })
      enter('9', 'Tab')
      expect(controller.valueAt({ ...last, col: 0 })).toBe(5)
    })

    test('the mark can be changed with F2, or once the cell was selected anew; an empty or wrong one is typed at once', () => {
      enter('80', 'Enter')
      controller.handleKey(key('F2'))
      type('81')
      controller.handleEditorKey(key('Enter'))
      expect(controller.valueAt(last)).toBe(81)
      for (const step of ['ArrowUp', 'ArrowDown']) controller.handleKey(key(step))
      enter('82', 'Enter')
      expect(controller.valueAt(last)).toBe(82)
      controller.handleKey(key('Delete'))
      enter('83', 'Enter')
      expect(controller.valueAt(last)).toBe(83)
      controller.handleKey(key('F2'))
      type('200')
      controller.handleEditorKey(key('Enter'))
      enter('84', 'Enter')
      expect(controller.valueAt(last)).toBe(84)
      expect(said.filter((message) => message.key === 'pastEnd')).toEqual([])
    })

    test('a press on the cell selects it anew; an arrow down without an entry changes nothing', () => {
      controller.handleKey(key('ArrowDown'))
      enter('80', 'Enter')
      expect(controller.valueAt(last)).toBe(80)
      selection.moveTo(last, { isPressed: true })
      enter('81', 'Enter')
      expect(controller.valueAt(last)).toBe(81)
    })
  })

  test('undo removes a refused text first, and leaves the mark that was entered before it', async () => {
    selection.moveTo({ row: 1, col: 2 })
    for (const text of ['80', '200']) {
      controller.handleKey(key(text[0] ?? ''))
      type(text)
      controller.handleEditorKey(key('Enter'))
    }
    const at = { row: 2, col: 2 }
    const cell = controller.idsAt(at) as NonNullable<ReturnType<typeof controller.idsAt>>
    const before = controller.valueAt(at)
    expect(sheet.cell(cell.assessmentId, cell.studentId).invalid).toMatchObject({ text: '200' })
    await controller.undo()
    expect(sheet.invalidCount()).toBe(0)
    expect(said).toEqual([{ key: 'undo.doneOne', ...cell, score: before }])
    expect(controller.valueAt({ row: 1, col: 2 })).toBe(80)
    await controller.undo()
    expect(controller.valueAt({ row: 1, col: 2 })).not.toBe(80)
    expect(said).toHaveLength(2)
  })

  describe('when pupils or assessments are added, removed or moved', () => {
    const changeTo = (pupils: typeof pupilsOf3B, present: typeof columns) => {
      const before = sheet.layout
      sheet.setLayout(pupils, present, ...rules)
      controller.follow(before)
    }
    const more = { ...mathsQuiz, id: 'another' }
    const [first, ...others] = pupilsOf3B

    test('typed text is saved for the pupil and assessment where it was begun', () => {
      selection.moveTo({ row: 1, col: 2 })
      controller.handleKey(key('8'))
      changeTo(others, [more, ...columns])
      expect(selection.active).toEqual({ row: 0, col: 3 })
      type('80')
      controller.handleEditorKey(key('Enter'))
      expect(queue.all()).toMatchObject([{ assessmentId: mathsExam.id, studentId: ids[1], score: 80 }])
      expect(selection.active).toEqual({ row: 1, col: 3 })
      expect(said).toEqual([])
    })

    test('a selected block and a figure stay selected, and Enter returns to the column of the first Tab', () => {
      selection.selectRange({ row: 1, col: 0 }, { row: 3, col: 1 })
      changeTo(others, [more, ...columns])
      expect(selection.range()).toEqual({ top: 0, bottom: 2, left: 1, right: 2 })
      selection.moveTo({ row: 0, col: 3 }, { tabbedFrom: 1 })
      changeTo(others, columns)
      expect(selection.tabbedFrom).toBe(0)
      selection.moveTo({ row: 0, col: columns.length + 2 })
      changeTo(others, [more, ...columns])
      expect(selection.active).toEqual({ row: 0, col: columns.length + 3 })
    })

    test('the first cell of an assessment that was just added is active, wherever its column comes, before or after its reply', () => {
      for (const at of [0, 1, columns.length]) {
        selection.moveTo({ row: 1, col: 1 })
        const added = { ...mathsQuiz, id: `added at ${at}` }
        controller.begin(added.id)
        changeTo(pupilsOf3B, columns.toSpliced(at, 0, added))
        expect(selection.active).toEqual({ row: 0, col: at })
        changeTo(pupilsOf3B, columns)
        selection.moveTo({ row: 1, col: 1 })
        changeTo(pupilsOf3B, columns.toSpliced(at, 0, added))
        controller.begin(added.id)
        expect(selection.active).toEqual({ row: 0, col: at })
        changeTo(pupilsOf3B, columns)
      }
    })

    test('a message names what was typed in a cell that is gone', () => {
      selection.moveTo({ row: 0, col: 2 })
      controller.handleKey(key('8'))
      changeTo(pupilsOf3B, columns.slice(0, 2))
      expect(selection).toMatchObject({ active: { row: -1, col: 1 }, editing: null })
      expect(said).toEqual([{ key: 'gone', pupil: `${first?.last_name} ${first?.first_name}`, title: mathsExam.title }])
      expect(queue.all()).toEqual([])
      // An open editor without changes loses nothing.
      selection.moveTo({ row: ids.length - 1, col: 0 })
      controller.handleKey(key('F2'))
      changeTo(pupilsOf3B.slice(0, -1), columns)
      expect(selection).toMatchObject({ active: { row: -1, col: 0 }, editing: null })
      expect(said).toHaveLength(1)
    })

    test.each<[string, () => void]>([
      ['an assessment', () => changeTo(pupilsOf3B, columns.slice(0, 2))],
      ['the pupil', () => changeTo(pupilsOf3B.toSpliced(1, 1), columns)],
    ])('what is typed on after %s went is entered nowhere, until a cell is chosen', (_, change) => {
      const goOn = () => {
        for (const each of ['2', 'Enter', '5', '3', 'Enter', 'Tab', 'Delete', 'F2', 'm']) controller.handleKey(key(each))
      }
      const marks = () => sheet.pupils.map((pupil) => sheet.columns.map(({ id }) => sheet.effectiveMark(id, pupil.id)))
      for (const isEditing of [true, false]) {
        said.length = 0
        selection.moveTo({ row: 1, col: 2 })
        if (isEditing) controller.handleKey(key('8'))
        change()
        const before = marks()
        goOn()
        expect([marks(), queue.all(), shown]).toEqual([before, [], []])
        expect(selection).toMatchObject({ active: { row: -1 }, editing: null })
        expect(new Set(said.map((message) => message.key))).toEqual(new Set([isEditing ? 'gone' : 'chooseCell']))
        controller.handleKey(key('ArrowDown'))
        controller.handleKey(key('6'))
        expect(selection).toMatchObject({ active: { row: 0 }, editing: { typed: '6' } })
        controller.cancelEdit()
        changeTo(pupilsOf3B, columns)
      }
    })
  })

  test('a mark typed over the user’s own one, which is saved meanwhile, is sent and is no conflict', () => {
    const at = { row: 1, col: 2 }
    const ids = controller.idsAt(at) as NonNullable<ReturnType<typeof controller.idsAt>>
    const enter = (text: string, meanwhile: () => void) => {
      selection.moveTo(at)
      controller.openEditor(text)
      meanwhile()
      controller.commitEdit()
    }
    enter('80', () => {})
    enter('81', () => {
      queue.resolve(queue.all(), 'theirs')
      fromOther(80, { updated_by: people.ada.id })
    })
    expect(queue.all()).toMatchObject([{ score: 81, seen: 80, state: 'fresh' }])
    // The same after a deletion.
    controller.handleKey(key('Delete'))
    enter('82', () => {
      queue.resolve(queue.all(), 'theirs')
      sheet.applyRemoved(ids)
    })
    expect(queue.all()).toMatchObject([{ score: 82, seen: null, state: 'fresh' }])
    // The user's own mark that is being sent is not somebody else's change.
    selection.moveTo(at)
    controller.openEditor('83')
    const isTold = () => isSavedMeanwhile(sheet.cell(ids.assessmentId, ids.studentId), selection.editing?.seen ?? null)
    expect(isTold()).toBe(false)
    fromOther(64)
    expect(queue.all()).toMatchObject([{ state: 'conflict' }])
    expect(isTold()).toBe(true)
    controller.cancelEdit()
    queue.resolve(queue.all(), 'theirs')
    // Somebody else's mark that arrived meanwhile was not seen.
    enter('83', () => {
      queue.resolve(queue.all(), 'theirs')
      fromOther(65)
    })
    expect(queue.all()).toMatchObject([{ score: 83, theirs: 65, state: 'conflict' }])
  })

  test('a conflict that arrives during the edit is not decided by the edit', () => {
    selection.moveTo({ row: 1, col: 2 })
    controller.openEditor('80')
    controller.commitEdit()
    sheet.disconnect()
    controller.openEditor('81')
    fromOther(64)
    expect(queue.all()).toMatchObject([{ score: 80, theirs: 64, state: 'conflict' }])
    controller.commitEdit()
    expect(queue.all()).toMatchObject([{ score: 81, theirs: 64, state: 'conflict' }])
    // Now the other mark was seen.
    controller.openEditor('82')
    controller.commitEdit()
    expect(queue.all()).toMatchObject([{ score: 82, seen: 64, state: 'fresh' }])
  })

  test('Esc cancels the edit', () => {
    selection.moveTo({ row: 1, col: 2 })
    controller.handleKey(key('8'))
    type('80')
    controller.handleEditorKey(key('Escape'))
    expect([controller.valueAt({ row: 1, col: 2 }), queue.all()]).toEqual([71, []])
  })

  test('Ctrl+Z undoes the last step, and then the one before', async () => {
    for (const [row, text] of [
      [1, '80'],
      [2, '50'],
    ] as const) {
      selection.moveTo({ row, col: 2 })
      controller.openEditor(text)
      controller.commitEdit()
    }
    await controller.undo()
    expect([controller.valueAt({ row: 1, col: 2 }), controller.valueAt({ row: 2, col: 2 })]).toEqual([80, 55])
    await controller.undo()
    expect(controller.valueAt({ row: 1, col: 2 })).toBe(71)
    await controller.undo()
    expect(said.at(-1)).toEqual({ key: 'undo.none' })
  })

  test('Ctrl+Y redoes undone steps in order, until something else is entered', async () => {
    const scores = () => [1, 2].map((row) => controller.valueAt({ row, col: 2 }))
    const enter = (row: number, text: string) => {
      selection.moveTo({ row, col: 2 })
      controller.openEditor(text)
      controller.commitEdit()
    }
    enter(1, '80')
    enter(2, '50')
    await controller.undo()
    await controller.undo()
    expect(scores()).toEqual([71, 55])
    controller.handleKey(key('y', { ctrlKey: true }))
    expect(scores()).toEqual([80, 55])
    expect(said.at(-1)).toMatchObject({ key: 'redo.doneOne', score: 80 })
    controller.handleKey(key('Z', { ctrlKey: true, shiftKey: true }))
    expect(scores()).toEqual([80, 50])
    await controller.redo()
    expect(said.at(-1)).toEqual({ key: 'redo.none' })
    await controller.undo()
    enter(1, '81')
    await controller.redo()
    expect(said.at(-1)).toEqual({ key: 'redo.none' })
    expect(scores()).toEqual([81, 55])
  })

  test('a deletion is redone, except where somebody changed the mark since', async () => {
    const at = { row: 1, col: 2 }
    selection.moveTo(at)
    controller.handleKey(key('Delete'))
    await controller.undo()
    await controller.redo()
    expect(queue.all()).toMatchObject([{ score: null, seen: 71 }])
    await controller.undo()
    const ids = controller.idsAt(at)
    sheet.queue.put([{ assessmentId: ids?.assessmentId ?? '', studentId: ids?.studentId ?? '', score: 60, seen: 71 }])
    await controller.redo()
    expect(said.at(-1)).toEqual({ key: 'undo.changed' })
    expect(controller.valueAt(at)).toBe(60)
  })

  test('Delete removes the marks of the selected cells as one step, and Ctrl+Z restores them completely', async () => {
    const idOf = (row: number) => controller.savedAt({ row, col: 2 })?.id
    const ids = [idOf(1), idOf(2)]
    selection.selectRange({ row: 1, col: 2 }, { row: 2, col: 2 })
    controller.handleKey(key('Delete'))
    expect(said).toEqual([{ key: 'cleared', count: 2 }])
    expect([1, 2].map((row) => controller.valueAt({ row, col: 2 }))).toEqual([null, null])
    expect(queue.all()).toMatchObject([
      { score: null, seen: 71 },
      { score: null, seen: 55 },
    ])
    // Not sent yet: removed from the queue.
    await controller.undo()
    expect([queue.all(), controller.valueAt({ row: 1, col: 2 })]).toEqual([[], 71])
    controller.handleKey(key('Delete'))
    const removed = queue.all()
    queue.resolve(removed, 'theirs')
    for (const mark of removed) sheet.applyRemoved(mark)
    await controller.undo()
    expect(undone).toEqual(ids)
  })

  describe('undo without an answer of the server', () => {
    const place = { row: 0, col: 2 }
    const ids = () => controller.idsAt(place) as NonNullable<ReturnType<typeof controller.idsAt>>
    const own = () => sheet.cell(ids().assessmentId, ids().studentId)
    /** The server gets what waits, as after a reply. */
    const arrive = (more: Partial<LiveMark> = {}) => {
      const mark = live.find(({ assessment_id }) => assessment_id === mathsExam.id) as LiveMark
      for (const pending of queue.all()) {
        queue.resolve([pending], 'theirs')
        const row = { ...mark, id: 'new', assessment_id: pending.assessmentId, student_id: pending.studentId }
        if (pending.score === null) sheet.applyRemoved(pending)
        else
          sheet.receive({
            is_whole: false,
            marks: [{ ...row, score: Number(pending.score), remarks: null, ...more }],
            gone: [],
            touched: [],
          })
      }
    }
    const enter = (text: string) => {
      selection.moveTo(place)
      controller.openEditor(text)
      controller.commitEdit()
    }
    beforeEach(() => {
      for (const mark of [...sheet.marks()].filter(({ student_id }) => student_id === ids().studentId))
        sheet.applyRemoved({ assessmentId: mark.assessment_id, studentId: mark.student_id })
    })

    test('a saved new mark is taken back by an entry in the queue, and redone by one', async () => {
      enter('62')
      arrive()
      sheet.disconnect()
      await controller.undo()
      expect(queue.all()).toMatchObject([{ score: null, seen: 62 }])
      expect([said.at(-1), undone]).toMatchObject([{ key: 'undo.doneOne', score: null }, []])
      await controller.redo()
      // The removal was never sent.
      expect([queue.all(), controller.valueAt(place)]).toEqual([[], 62])
    })

    test('a mark that waits leaves the queue; one whose request may have arrived is removed there too', async () => {
      enter('62')
      await controller.undo()
      expect([queue.all(), controller.valueAt(place)]).toEqual([[], null])
      enter('62')
      queue.takeOver([{ ...ids(), score: 62, seen: null, at: '2027-01-01T00:00:00.000Z', state: 'waiting' }])
      await controller.undo()
      expect(queue.all()).toMatchObject([{ score: null, seen: null, ours: 62 }])
    })

    test('a mark that has got a remark since stays', async () => {
      enter('62')
      arrive({ remarks: 'Late.' })
      await controller.undo()
      expect([queue.all(), said.at(-1)]).toEqual([[], { key: 'undo.changed' }])
    })

    test('a mark that the server has refused leaves its cell', async () => {
      enter('62')
      queue.takeOver([{ ...ids(), score: 62, seen: null, at: '2027-01-01T00:00:00.000Z', state: 'waiting' }])
      const refused = { ...(own().pending as PendingMark), state: 'refused' as const }
      vi.spyOn(queue, 'get').mockImplementation((_, student) =>
        student === ids().studentId && queue.all().length > 0 ? refused : undefined,
      )
      sheet.open()
      await controller.undo()
      expect([queue.all(), said.at(-1)?.key]).toEqual([[], 'undo.doneOne'])
    })

    test('a deletion that the server has stays to be undone while it does not answer, before all older ones', async () => {
      enter('62')
      arrive()
      selection.moveTo(place)
      controller.handleKey(key('Delete'))
      arrive()
      answer = 'later'
      await Promise.all([controller.undo(), controller.undo()])
      expect([undone, said.at(-1)]).toEqual([['new', 'new'], { key: 'undo.later' }])
      answer = 'done'
      await controller.undo()
      expect([undone.length, said.at(-1)]).toMatchObject([3, { key: 'undo.doneOne', score: 62 }])
    })

    test('a deletion whose undo has lost its reply counts as undone once the mark is there', async () => {
      enter('62')
      arrive()
      selection.moveTo(place)
      controller.handleKey(key('Delete'))
      const removed = queue.all()
      arrive()
      answer = 'later'
      await controller.undo()
      queue.put(removed.map((mark) => ({ ...mark, score: 62, seen: null })))
      arrive()
      await controller.undo()
      expect([undone, said.at(-1)]).toMatchObject([['new'], { key: 'undo.doneOne', score: 62 }])
      await controller.redo()
      expect(queue.all()).toMatchObject([{ score: null, seen: 62 }])
    })

    test('a deletion that is on its way is undone with the remark', async () => {
      enter('62')
      arrive({ remarks: 'Late.' })
      selection.moveTo(place)
      controller.handleKey(key('Delete'))
      queue.takeOver([{ ...ids(), score: null, seen: 62, ours: null, at: '2027-01-01T00:00:00.000Z', state: 'waiting' }])
      await controller.undo()
      expect(queue.all()).toMatchObject([{ score: 62, remarks: 'Late.', ours: null }])
    })
  })

  test('undo and redo select the cell that they change', async () => {
    const enter = (row: number, text: string) => {
      selection.moveTo({ row, col: 2 })
      controller.openEditor(text)
      controller.commitEdit()
    }
    enter(1, '80')
    selection.moveTo({ row: 4, col: 0 })
    await controller.undo()
    expect(selection.active).toEqual({ row: 1, col: 2 })
    selection.moveTo({ row: 4, col: 0 })
    await controller.redo()
    expect(selection.active).toEqual({ row: 1, col: 2 })
    enter(2, '200')
    selection.moveTo({ row: 4, col: 0 })
    await controller.undo()
    expect(selection.active).toEqual({ row: 2, col: 2 })
  })

  test('emptying the field deletes a mark that was opened, and keeps one that was typed over', () => {
    selection.moveTo({ row: 1, col: 2 })
    controller.handleKey(key('8'))
    type(' ')
    controller.handleEditorKey(key('Enter'))
    expect([controller.valueAt({ row: 1, col: 2 }), queue.all()]).toEqual([71, []])
    selection.moveTo({ row: 1, col: 2 })
    controller.handleKey(key('F2'))
    type('')
    controller.handleEditorKey(key('Enter'))
    expect(controller.valueAt({ row: 1, col: 2 })).toBeNull()
    expect(said).toEqual([{ key: 'cleared', count: 1 }])
  })

  test.each([
    ['-5', 'negative'],
    ['a7', 'not_a_number'],
    ['1/2', 'not_a_number'],
  ])('%s is an invalid entry of its cell, and no part of it is a mark', (text, reason) => {
    selection.moveTo({ row: 1, col: 2 })
    expect(controller.handleKey(key(text[0] ?? ''))).toBe(true)
    expect(selection.editing).toMatchObject({ text: text[0], caret: false })
    type(text)
    controller.handleEditorKey(key('Enter'))
    const { studentId = '', assessmentId = '' } = controller.idsAt({ row: 1, col: 2 }) ?? {}
    expect(sheet.cell(assessmentId, studentId).invalid).toEqual({ text, reason })
    expect([controller.valueAt({ row: 1, col: 2 }), queue.all()]).toEqual([71, []])
    selection.moveTo({ row: 1, col: 2 })
    controller.handleKey(key('Delete'))
    expect(sheet.cell(assessmentId, studentId).invalid).toBeNull()
    expect(said).toEqual([])
  })

  test('emptying an invalid entry shows the mark below it again, since a telephone has no Delete key', () => {
    const at = { row: 1, col: 2 }
    selection.moveTo(at)
    controller.handleKey(key('1'))
    type('101')
    controller.handleEditorKey(key('Enter'))
    selection.moveTo(at)
    controller.openEditor(null, true)
    expect(selection.editing).toMatchObject({ text: '101' })
    type('')
    controller.handleEditorKey(key('Enter'))
    expect([sheet.invalidCount(), controller.valueAt(at), queue.all(), said]).toEqual([0, 71, [], []])
    // Without an invalid entry it deletes the mark.
    selection.moveTo(at)
    controller.handleKey(key('F2'))
    type('')
    controller.handleEditorKey(key('Enter'))
    expect([controller.valueAt(at), said]).toEqual([null, [{ key: 'cleared', count: 1 }]])
  })

  test('a range is copied as tab-separated text, figures included', () => {
    selection.selectRange({ row: 1, col: 1 }, { row: 2, col: 3 })
    expect(controller.block.copy()).toBe('9\t71\t90\n6.5\t55\t62.5')
    controller.block.tellCopied(false)
    controller.block.tellCopied(true)
    expect(said).toEqual([{ key: 'notCopied' }, { key: 'copied', count: 6 }])
  })

  test('a single pasted cell is entered, a larger block is previewed', () => {
    selection.moveTo({ row: 1, col: 2 })
    controller.block.paste('80\r\n')
    expect(controller.valueAt({ row: 1, col: 2 })).toBe(80)
    controller.block.paste('1\n2\n')
    expect(pasted).toEqual([['1'], ['2']])
  })

  describe('a selected block', () => {
    const exam = (...rows: number[]) => rows.map((row) => controller.valueAt({ row, col: 2 }))
    const undoAll = async () => {
      await controller.undo()
      return exam(1, 2, 3)
    }
    let before: ReturnType<typeof exam>
    beforeEach(() => {
      before = exam(1, 2, 3)
      // Selected downwards, so that the last cell is the active one.
      selection.selectRange({ row: 1, col: 2 }, { row: 3, col: 2 })
    })

    test('takes one copied mark in all its cells, with one undo', async () => {
      controller.block.paste('62')
      expect([exam(1, 2, 3), pasted, said]).toEqual([[62, 62, 62], null, [{ key: 'filled', count: 3 }]])
      expect(await undoAll()).toEqual(before)
    })

    test('previews a text that is no mark, and enters nothing', () => {
      controller.block.paste('absent')
      expect([exam(1, 2, 3), pasted]).toEqual([before, [['absent'], ['absent'], ['absent']]])
    })

    test('is where a pasted block begins, repeated as often as it fits', () => {
      let at: CellPosition | null = null
      controller.host.previewPaste = (block, from) => {
        pasted = block
        at = from
      }
      controller.block.paste('1\n2\n3')
      expect([pasted, at]).toEqual([[['1'], ['2'], ['3']], { row: 1, col: 2 }])
      selection.selectRange({ row: 0, col: 1 }, { row: 3, col: 2 })
      controller.block.paste('1\n2')
      expect([pasted, at]).toEqual([
        Array.from({ length: 2 }, () => [
          ['1', '1'],
          ['2', '2'],
        ]).flat(),
        { row: 0, col: 1 },
      ])
      controller.block.paste('1\n2\n3')
      expect(pasted).toEqual([
        ['1', '1'],
        ['2', '2'],
        ['3', '3'],
      ])
    })

    test('Ctrl+Enter enters the typed text into all of it; a mark that arrived meanwhile is a conflict', async () => {
      controller.handleKey(key('6'))
      type('63')
      controller.handleEditorKey(key('Enter', { ctrlKey: true }))
      expect([exam(1, 2, 3), selection.editing, selection.active]).toEqual([[63, 63, 63], null, { row: 3, col: 2 }])
      expect(await undoAll()).toEqual(before)
      selection.selectRange({ row: 2, col: 2 }, { row: 1, col: 2 })
      controller.handleKey(key('6'))
      fromOther(64)
      type('65')
      controller.handleEditorKey(key('Enter', { ctrlKey: true }))
      expect(queue.all().find(({ state }) => state === 'conflict')).toMatchObject({ score: 65, theirs: 64 })
      expect(exam(2)).toEqual([65])
    })

    test('Ctrl+Enter in one cell, or with an empty text, is like Enter without a move', () => {
      selection.moveTo({ row: 1, col: 2 })
      controller.handleKey(key('6'))
      type('61')
      controller.handleEditorKey(key('Enter', { ctrlKey: true }))
      expect([exam(1, 2), selection.active]).toEqual([[61, before[1]], { row: 1, col: 2 }])
      selection.selectRange({ row: 1, col: 2 }, { row: 2, col: 2 })
      controller.handleKey(key('6'))
      type(' ')
      controller.handleEditorKey(key('Enter', { ctrlKey: true }))
      expect([exam(1, 2), said]).toEqual([[61, before[1]], []])
      expect(controller.handleKey(key('Enter', { ctrlKey: true }))).toBe(false)
    })

    test('Ctrl+D fills it with its first row, a single row with the one above; an empty cell fills nothing', async () => {
      expect(controller.handleKey(key('d', { ctrlKey: true }))).toBe(true)
      expect(exam(1, 2, 3)).toEqual([before[0], before[0], before[0]])
      expect(await undoAll()).toEqual(before)
      selection.moveTo({ row: 2, col: 2 })
      controller.handleKey(key('d', { ctrlKey: true }))
      expect(exam(1, 2, 3)).toEqual([before[0], before[0], before[2]])
      selection.moveTo({ row: 0, col: 2 })
      controller.handleKey(key('d', { ctrlKey: true }))
      controller.enterMarks([{ row: 1, col: 2, score: null }])
      said = []
      selection.selectRange({ row: 1, col: 2 }, { row: 3, col: 2 })
      controller.handleKey(key('d', { ctrlKey: true }))
      expect([exam(2, 3), said]).toEqual([[before[0], before[2]], []])
    })

    test('is cut: its marks are copied and deleted as one step; a single invalid entry is discarded', async () => {
      expect(controller.block.cut()).toBe(before.join('\n'))
      expect([exam(1, 2, 3), said.at(-1)]).toEqual([[null, null, null], { key: 'cut', count: 3 }])
      expect(await undoAll()).toEqual(before)
      selection.moveTo({ row: 1, col: 2 })
      controller.handleKey(key('x'))
      controller.commitEdit()
      expect([controller.block.cut(), exam(1), sheet.invalidCount()]).toEqual(['x', [before[0]], 0])
      expect(said.at(-1)).toEqual({ key: 'copied', count: 1 })
    })

    const refuse = (row: number) => {
      const { top, bottom } = selection.range()
      selection.moveTo({ row, col: 2 })
      controller.handleKey(key('x'))
      controller.commitEdit()
      selection.selectRange({ row: top, col: 2 }, { row: bottom, col: 2 })
    }

    test('an invalid entry in it is copied and cut as shown, with the marks around it', async () => {
      refuse(2)
      expect(controller.block.copy()).toBe(`${before[0]}\nx\n${before[2]}`)
      expect(controller.block.cut()).toBe(`${before[0]}\nx\n${before[2]}`)
      expect([exam(1, 2, 3), sheet.invalidCount(), said.at(-1)]).toEqual([[null, before[1], null], 0, { key: 'cut', count: 2 }])
      expect(await undoAll()).toEqual(before)
    })

    test('an invalid entry is not filled down, since the mark below it is not shown', () => {
      refuse(1)
      controller.handleKey(key('d', { ctrlKey: true }))
      expect([exam(1, 2, 3), said]).toEqual([before, []])
    })

    test('an invalid entry over a mark equal to the pasted one is removed', () => {
      refuse(2)
      controller.block.paste(String(before[1]))
      expect([exam(1, 2, 3), sheet.invalidCount()]).toEqual([[before[1], before[1], before[1]], 0])
    })

    test('marks that were cut before they were saved come back with Ctrl+Z, and then the marks before them', async () => {
      controller.block.paste('62')
      controller.block.cut()
      expect(await undoAll()).toEqual([62, 62, 62])
      expect(await undoAll()).toEqual(before)
      controller.block.cut()
      controller.block.paste('63')
      expect(await undoAll()).toEqual([null, null, null])
    })

    test('a new mark that was saved and deleted after the cut comes back too', async () => {
      selection.moveTo({ row: 0, col: 2 })
      controller.enterMarks([{ row: 0, col: 2, score: null }])
      for (const mark of queue.all()) {
        queue.resolve([mark], 'theirs')
        sheet.applyRemoved(mark)
      }
      controller.enterMarks([{ row: 0, col: 2, score: 62 }])
      controller.block.cut()
      queue.resolve(queue.all(), 'theirs')
      await controller.undo()
      expect([exam(0), undone]).toEqual([[62], []])
    })

    test('cells whose assessment is not for the pupil stay empty, and the others are filled', () => {
      const classOf = (row: number) =>
        row === 1 ? { id: '00000000-0000-7000-8000-00000000003a', name: '3A' } : { id: class3B.id, name: '3B' }
      const pupils = pupilsOf3B.map((pupil, row) => ({ ...pupil, class: classOf(row) }))
      const ofClass = columns.map((column) => ({ ...column, student_group_id: class3B.id }))
      sheet.setLayout(pupils, ofClass, ...rules)
      expect([controller.idsAt({ row: 1, col: 2 }), exam(2, 3)]).toEqual([null, before.slice(1)])
      controller.block.paste('62')
      expect([exam(1, 2, 3), pasted, said]).toEqual([[null, 62, 62], null, [{ key: 'filled', count: 2 }]])
      controller.handleKey(key('6'))
      type('63')
      controller.handleEditorKey(key('Enter', { ctrlKey: true }))
      expect([exam(1, 2, 3), pasted]).toEqual([[null, 63, 63], null])
      controller.block.paste('1\n2\n3')
      expect(pasted).toEqual([['1'], ['2'], ['3']])
    })

    test('does not change where the sheet is read-only, and can be copied', () => {
      controller.isReadOnly = true
      expect(controller.block.cut()).toBe(before.join('\n'))
      controller.handleKey(key('d', { ctrlKey: true }))
      controller.block.paste('62')
      expect([exam(1, 2, 3), said]).toEqual([before, [{ key: 'copied', count: 3 }]])
    })
  })

  test('a mark that arrived during the preview of a paste makes a conflict, and the others are entered', () => {
    fromOther(64)
    controller.enterMarks([
      { row: 1, col: 2, score: 80, seen: 71 },
      { row: 2, col: 2, score: 50, seen: 55 },
    ])
    expect(queue.all()).toMatchObject([
      { score: 80, theirs: 64, state: 'conflict' },
      { score: 50, seen: 55, state: 'fresh' },
    ])
    expect([1, 2].map((row) => controller.valueAt({ row, col: 2 }))).toEqual([64, 50])
  })

  test('a remark is saved with the mark that is there, and does not overwrite another remark', () => {
    const ids = controller.idsAt({ row: 1, col: 2 }) as NonNullable<ReturnType<typeof controller.idsAt>>
    controller.enterRemark(ids, '', '')
    expect(queue.all()).toEqual([])
    fromOther(64)
    controller.enterRemark(ids, 'Well prepared.', '')
    expect(queue.all()).toMatchObject([{ score: 64, seen: 64, remarks: 'Well prepared.' }])
    queue.resolve(queue.all(), 'theirs')
    fromOther(64, { remarks: 'Late.' })
    expect(() => controller.enterRemark(ids, 'Well prepared.', '')).toThrow(expect.objectContaining({ code: 'grades.changed_meanwhile' }))
    controller.enterRemark(ids, '', 'Late.')
    expect(queue.all()).toMatchObject([{ score: 64, remarks: null }])
  })

  test('a remark for a mark in conflict does not decide the conflict', () => {
    const ids = controller.idsAt({ row: 1, col: 2 }) as NonNullable<ReturnType<typeof controller.idsAt>>
    queue.addConflict({ ...ids, score: 80, seen: 71 }, 64)
    fromOther(64)
    controller.enterRemark(ids, 'Well prepared.', '')
    expect(queue.all()).toMatchObject([{ score: 80, theirs: 64, remarks: 'Well prepared.', state: 'conflict' }])
    queue.resolve(queue.all(), 'mine')
    expect(queue.all()).toMatchObject([{ score: 80, seen: 64, remarks: 'Well prepared.', state: 'waiting' }])
  })

  test('the empty cells of an assessment are those without a mark at this moment', () => {
    const col = columns.indexOf(mathsExam)
    const rows = () => controller.emptyCells(col).map(({ row }) => row)
    const before = rows()
    expect(before.length).toBeGreaterThan(0)
    const row = before[0] as number
    const mark = live.find(({ assessment_id }) => assessment_id === mathsExam.id) as LiveMark
    const student_id = pupilsOf3B[row]?.id ?? ''
    sheet.receive({ is_whole: false, marks: [{ ...mark, id: 'other', student_id, score: 40 }], gone: [], touched: [] })
    expect(rows()).toEqual(before.slice(1))
  })

  test('a read-only sheet changes nothing', () => {
    controller.isReadOnly = true
    selection.moveTo({ row: 1, col: 2 })
    controller.handleKey(key('8'))
    controller.block.paste('80')
    expect([selection.editing, queue.all()]).toEqual([null, []])
  })
})
