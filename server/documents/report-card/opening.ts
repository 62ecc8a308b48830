import type { AttendanceTotals } from '@markbook/shared/domain/attendance'
import { fullName } from '@markbook/shared/domain/full-name'
import { letterFor } from '@markbook/shared/domain/letters'
import { baseIn, type Canvas, colors, type Style } from '../drawing/canvas.ts'
import type { Block } from '../drawing/flow.ts'
import { letterhead } from '../drawing/letterhead.ts'
import { wrap } from '../drawing/lines.ts'
import type { Words } from '../words.ts'
import type { Card } from './card.ts'
import { columnsOf, hasPartial } from './columns.ts'

const KIND: Style = { face: 'semibold', size: 8, color: colors.accent, spacing: 1.1 }
const STUDENT: Style = { face: 'semibold', size: 21, color: colors.text }
const LABEL: Style = { face: 'regular', size: 7.2, color: colors.quiet }
const FACT: Style = { face: 'regular', size: 9.6, color: colors.text }
const FIGURE: Style = { face: 'semibold', size: 17, color: colors.text }
/** Heights and gaps, in points. */
const spacings = {
  usual: {
    afterRule: 16,
    kind: 12,
    student: 21,
    afterName: 6,
    afterFacts: 12,
    strip: 52,
    figure: 17,
    label: 17,
    value: 39,
    afterStrip: 16,
  },
  tight: { afterRule: 10, kind: 11, student: 16, afterName: 3, afterFacts: 7, strip: 38, figure: 14, label: 13, value: 29, afterStrip: 7 },
}
const spacingOf = ({ density }: Card) => (density.tight ? spacings.tight : spacings.usual)

/** The title of the report, and the pupil. */
function titleBlock(card: Card): Block {
  const name = fullName(card.own.student)
  const { kind: kindHeight, student, afterName } = spacingOf(card)
  const size = card.fonts.semibold.widthOf(name, student) > card.width ? Math.min(student, 15) : student
  const names = wrap(name, card.fonts.semibold, size, card.width)
  const { words } = card
  const isTerm = card.layout.kind === 'term'
  const kind = words.joined([words.say(isTerm ? 'card.term' : 'card.yearEnd'), words.period(card.frame, isTerm)]).toUpperCase()
  const kinds = wrap(kind, card.fonts.semibold, KIND.size * 1.16, card.width - 90)
  const height = kinds.length * kindHeight + names.length * size * 1.32
  return {
    height: height + afterName,
    draw: (canvas, top) => {
      canvas.content(canvas.section, 'H2', () => {
        canvas.lines(kinds, KIND, { x: card.left, base: baseIn(top, kindHeight, KIND.size) }, kindHeight)
        const base = baseIn(top + kinds.length * kindHeight, size * 1.32, size)
        canvas.lines(names, { ...STUDENT, size }, { x: card.left, base }, size * 1.32)
      })
      if (card.own.status === 'draft') draftMark(canvas, words.say('card.draft').toUpperCase(), card.left + card.width, top)
    },
  }
}

function draftMark(canvas: Canvas, draft: string, right: number, top: number): void {
  const style: Style = { ...KIND, color: '#1b1f24' }
  const width = canvas.widthOf(draft, style) + 16
  canvas.content(canvas.section, 'P', () => {
    canvas.frame(right - width, top - 2, width, 16, colors.text)
    canvas.line(draft, style, { x: right - width / 2, base: baseIn(top - 2, 16, style.size), align: 'centre' })
  })
}

function factsOf({ frame, own, fonts, words, width }: Card): { label: string; lines: string[]; width: number }[] {
  const facts: [label: string, text: string | null][] = [
    [words.say('card.class'), frame.class_name],
    [words.say('card.studentNumber'), own.student.student_number],
    [words.say('card.dateOfBirth'), own.student.date_of_birth && words.day(own.student.date_of_birth)],
    [words.say('classTeacher'), frame.class_teacher],
    [words.say('card.absence'), own.attendance ? absenceText(words, own.attendance) : null],
  ]
  const present = facts.filter((fact): fact is [string, string] => Boolean(fact[1]))
  const natural = present.map(
    ([label, text]) => GAP + Math.max(fonts.regular.widthOf(label, LABEL.size), fonts.regular.widthOf(text, FACT.size)),
  )
  const share = width / Math.max(present.length, 1)
  const spare = share - natural.reduce((sum, each) => sum + each, 0) / Math.max(present.length, 1)
  // Equal widths, aligned with the figures below. Where one text is wider and all still fit in a row, each gets its natural width and an
  // equal share of the rest.
  const isEven = spare < 0 || natural.every((each) => each <= share)
  const widthAt = (at: number) => (isEven ? share : (natural[at] ?? 0) + spare)
  return present.map(([label, text], at) => ({
    label,
    width: widthAt(at),
    lines: wrap(text, fonts.regular, FACT.size, widthAt(at) - GAP),
  }))
}
/** The gap between two facts, in points. */
const GAP = 12

/** Absences may count whole days or lessons, so the text states the number of sessions. A word and its figure stay on one line. */
const absenceText = ({ say, counted }: Words, { absent, excused, late, sessions }: AttendanceTotals) =>
  [
    say('card.absent', { number: absent }),
    say('card.excused', { number: excused }),
    say('card.late', { number: late }),
    counted('card.registers', sessions),
  ]
    .map((part) => part.replaceAll(' ', '\u00a0'))
    .join(' ')

function factsBlock(card: Card): Block {
  const facts = factsOf(card)
  const lines = Math.max(...facts.map((fact) => fact.lines.length))
  return {
    height: 11 + lines * 13 + spacingOf(card).afterFacts,
    draw: (canvas, top) => {
      let x = card.left
      for (const { label, lines: text, width } of facts) {
        canvas.content(canvas.section, 'P', () => {
          canvas.line(label, LABEL, { x, base: baseIn(top, 11, LABEL.size) })
          canvas.lines(text, FACT, { x, base: baseIn(top + 11, 13, FACT.size) }, 13)
        })
        x += width
      }
    },
  }
}

function standing({ own, frame, layout, words }: Card): { label: string; value: string; beside: string }[] {
  const letter = letterFor(frame.scale, own.overall_average)
  const attendance = own.attendance_percentage ?? own.attendance?.percentage ?? null
  const percent = hasPartial(layout, words, own) ? '% †' : '%'
  return [
    {
      label: columnsOf(layout, words).average,
      value: words.figure(own.overall_average),
      beside: own.overall_average === null ? '' : percent,
    },
    { label: words.say('card.overallLetter'), value: letter?.letter ?? '–', beside: letter?.remark ?? '' },
    {
      label: words.say('card.position'),
      value: own.position === null ? '–' : words.ordinal(own.position),
      beside: own.position === null ? '' : words.say('card.ofPupils', { total: own.total_students }),
    },
    {
      label: words.say('card.attendance'),
      value: attendance === null ? '–' : words.plain(attendance),
      beside: attendance === null ? '' : '%',
    },
  ]
}

const fitted = (canvas: Canvas, text: string, style: Style, width: number): Style => {
  const wide = canvas.widthOf(text, style)
  return wide <= width ? style : { ...style, size: Math.max(6, (style.size * width) / wide) }
}

/** The row of average, letter, position and attendance. */
function stripBlock(card: Card): Block {
  const cells = standing(card)
  const share = card.width / cells.length
  const { strip, figure, label: labelBase, value: valueBase, afterStrip } = spacingOf(card)
  return {
    height: strip + afterStrip,
    draw: (canvas, top) => {
      canvas.decoration(() => {
        canvas.rect(card.left, top, card.width, strip, colors.tint)
        for (const at of cells.keys()) if (at > 0) canvas.rect(card.left + at * share, top + 8, 0.6, strip - 16, colors.line)
      })
      for (const [at, { label, value, beside }] of cells.entries()) {
        const x = card.left + at * share + 14
        const style = fitted(canvas, value, { ...FIGURE, size: figure, color: at === 0 ? colors.accent : colors.text }, share - 26)
        canvas.content(canvas.section, 'P', () => {
          canvas.line(label, LABEL, { x, base: top + labelBase })
          canvas.line(value, style, { x, base: top + valueBase })
          if (beside === '') return
          const left = x + canvas.widthOf(value, style) + 5
          const free = card.left + (at + 1) * share - 8 - left
          if (free > 12)
            canvas.line(beside, fitted(canvas, beside, { ...FACT, size: 9, color: colors.quiet }, free), { x: left, base: top + valueBase })
        })
      }
    },
  }
}

/** Everything above the table of subjects. */
export const openingBlocks = (card: Card): Block[] => [
  letterhead(card.frame.school, card, spacingOf(card).afterRule),
  titleBlock(card),
  factsBlock(card),
  stripBlock(card),
]
