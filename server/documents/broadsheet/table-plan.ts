import type { Fonts } from '../drawing/fonts.ts'
import { wrap } from '../drawing/lines.ts'
import type { Words } from '../words.ts'
import type { BroadsheetSubject } from './broadsheet.input.ts'

/** Widths in points of what stands beside the subjects: these, and more where a language has a longer word. */
const USUAL = { number: 20, total: 46, average: 42, letter: 30, position: 38 } as const
const NAME = 132
const GAP = 4
export type Beside = Record<keyof typeof USUAL, number>

export function besideOf({ say }: Words, { semibold }: Fonts): Beside {
  const widthOf = (name: keyof Beside) => Math.max(USUAL[name], semibold.widthOf(say(`broadsheet.${name}`), HEAD_SIZE) + GAP)
  return {
    number: widthOf('number'),
    total: widthOf('total'),
    average: widthOf('average'),
    letter: widthOf('letter'),
    position: widthOf('position'),
  }
}

const WIDEST = 72
/** Names take what subjects leave, up to this. */
const WIDEST_NAME = 210
const NARROWEST = 25.5
export const HEAD_SIZE = 7.2
const HEAD_LINE = 9.2
/** How high upright heads may be; a longer name goes on in a second or third line. */
const UPRIGHT = 104

/** The subjects of one run of pages, the widths of their columns and of the names, and how their heads stand. */
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

/** Subjects in runs that fit beside the names, each as wide as the room allows; heads stand upright where they would have to be cut. */
export function tablePlans(subjects: readonly BroadsheetSubject[], contentWidth: number, beside: Beside, fonts: Fonts): TablePlan[] {
  const room = contentWidth - NAME - Object.values(beside).reduce((sum, width) => sum + width, 0)
  return runsOf(subjects, Math.floor(room / NARROWEST)).map((run) => planOf(run, room, fonts))
}
