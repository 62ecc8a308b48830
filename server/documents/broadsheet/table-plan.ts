import type { Fonts } from '../drawing/fonts.ts'
import { wrap } from '../drawing/lines.ts'
import type { Words } from '../words.ts'
import type { BroadsheetSubject } from './broadsheet.input.ts'

/** Widths in points of the columns besides the subjects; wider where a language has a longer word. */
const USUAL = { number: 20, total: 46, average: 42, letter: 30, position: 38 } as const
const NAME = 132
const GAP = 4
export type ColumnWidths = Record<keyof typeof USUAL, number>

export function besideOf({ say }: Words, { semibold }: Fonts): ColumnWidths {
  const widthOf = (name: keyof ColumnWidths) => Math.max(USUAL[name], semibold.widthOf(say(`broadsheet.${name}`), HEAD_SIZE) + GAP)
  return {
    number: widthOf('number'),
    total: widthOf('total'),
    average: widthOf('average'),
    letter: widthOf('letter'),
    position: widthOf('position'),
  }
}

const WIDEST = 72
/** Names get the width that subjects leave, up to this. */
const WIDEST_NAME = 210
const NARROWEST = 25.5
export const HEAD_SIZE = 7.2
const HEAD_LINE = 9.2
/** The greatest height of vertical heads; a longer name is wrapped to two or three lines. */
const UPRIGHT = 104

/** The subjects on one set of pages, the widths of their columns and of the names, and the direction of their heads. */
type SubjectHead = { subject: BroadsheetSubject; lines: string[] }
export type TablePlan = { heads: SubjectHead[]; width: number; name: number; upright: boolean; headHeight: number }

function runsOf<T>(items: readonly T[], most: number): T[][] {
  const runs = Math.max(1, Math.ceil(items.length / most))
  const size = Math.ceil(items.length / runs)
  return Array.from({ length: runs }, (_, at) => items.slice(at * size, (at + 1) * size))
}

function planOf(subjects: readonly BroadsheetSubject[], room: number, fonts: Fonts): TablePlan {
  const width = Math.min(WIDEST, room / Math.max(1, subjects.length))
  const name = Math.min(WIDEST_NAME, NAME + room - width * subjects.length)
  const lines = (within: number) => subjects.map((subject) => ({ subject, lines: wrap(subject.name, fonts.semibold, HEAD_SIZE, within) }))
  const flat = lines(width - 6)
  const isReadable = flat.every((head) => head.lines.length <= 3) && subjects.every(({ name }) => fitsByWords(name, width - 6, fonts))
  if (isReadable)
    return { heads: flat, width, name, upright: false, headHeight: Math.max(1, ...flat.map((head) => head.lines.length)) * HEAD_LINE + 8 }
  const upright = lines(UPRIGHT)
  const high = Math.max(...upright.flatMap((head) => head.lines.map((line) => fonts.semibold.widthOf(line, HEAD_SIZE))))
  return { heads: upright, width, name, upright: true, headHeight: high + 10 }
}

const fitsByWords = (name: string, width: number, fonts: Fonts) =>
  name.split(/\s+/).every((word) => fonts.semibold.widthOf(word, HEAD_SIZE) <= width)

/**
 * Distributes the subjects to sets of pages that fit beside the names, with equal widths. Heads are vertical where they would have to be
 * cut otherwise.
 */
export function tablePlans(subjects: readonly BroadsheetSubject[], contentWidth: number, beside: ColumnWidths, fonts: Fonts): TablePlan[] {
  const room = contentWidth - NAME - Object.values(beside).reduce((sum, width) => sum + width, 0)
  return runsOf(subjects, Math.floor(room / NARROWEST)).map((run) => planOf(run, room, fonts))
}
