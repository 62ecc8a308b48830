import { readFileSync } from 'node:fs'
import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import { naturalId } from '@markbook/shared/ids'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REAL_ADMIN, seedRealPupils } from '../cli/seed/real/seed-real.ts'
import { cookieName, sessionCookies } from '../http/cookies.ts'
import { startSession } from '../http/sessions.ts'
import { asSystem } from '../store/tx.ts'
import { type School, school } from '../testing/school.ts'

/*
 * The service's figures beside those that this file works out on its own, straight from the marks in the file, in whole numbers:
 * a figure is a fraction of two bigints, printed to 2 decimals half-up. Nothing of shared/domain is used.
 */

type Fraction = { over: bigint; under: bigint }
const fraction = (over: number | bigint, under: number | bigint = 1): Fraction => ({ over: BigInt(over), under: BigInt(under) })
/** Hundredths, half-up; nothing here is negative. */
const hundredths = ({ over, under }: Fraction): bigint => (over * 200n + under) / (under * 2n)
const printed = (value: Fraction): number => Number(hundredths(value)) / 100
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const mean = (cents: readonly bigint[]): number => printed(fraction(sum(cents), BigInt(cents.length) * 100n))
const percent = (part: number, whole: number): number => printed(fraction(part * 100, whole))

type Line = { number: string; school: string; gender: 'female' | 'male'; marks: [number, number, number] }
const lines: Line[] = readFileSync(new URL('../cli/seed/real/student-performance-mathematics.csv', import.meta.url), 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1)
  .map((text) => {
    const [row = '', at = '', gender, , , first, second, final] = text.split(',')
    return {
      number: `${at}-${row.padStart(3, '0')}`,
      school: at,
      gender: gender === 'F' ? 'female' : 'male',
      marks: [Number(first), Number(second), Number(final)],
    }
  })
const lineOf = new Map(lines.map((line) => [line.number, line]))

const LETTERS: [minimum: bigint, letter: string][] = [
  [9_000n, 'A+'],
  [8_000n, 'A'],
  [7_000n, 'B'],
  [6_000n, 'C'],
  [5_000n, 'D'],
  [0n, 'F'],
]
const letterOf = (cents: bigint) => (LETTERS.find(([minimum]) => cents >= minimum) as [bigint, string])[1]
const positionOf = (own: bigint, all: readonly bigint[]) => 1 + all.filter((other) => other > own).length

/** A period mark out of 20 is the whole term: 5 percent a point. */
const termCents = ({ marks }: Line, term: number): bigint => BigInt(marks[term] as number) * 500n
/** 62.5 % of the mean of the three terms and 37.5 % of the final exam, both in percent. */
const yearCents = ({ marks: [a, b, c] }: Line): bigint => hundredths(fraction((a + b + c) * 625 + c * 1_125, 600))

type Api = Client<typeof contract>
type SubjectMarks = { id: string; name: string; lines: Line[]; numberOf: Map<string, string> }
let st: School
let api: Api
let year: { id: string }
let terms: { id: string; name: string }[]
let classes: SubjectMarks[]
const told: string[] = []

async function headsClient(): Promise<Api> {
  const { store, keys, config } = st.services
  const session = await store.write(asSystem(), (tx) => startSession(tx, naturalId('user', REAL_ADMIN), keys))
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  return st.clientWith(
    sessionCookies(session, settings, 60, undefined)
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
  )
}

beforeAll(async () => {
  st = await school({ story: false })
  await seedRealPupils(st.services, (line) => told.push(line))
  api = await headsClient()
  year = await api.academicYears.active()
  terms = await api.terms.list({ query: { yearId: year.id } })
  classes = await Promise.all(
    (await api.classes.list()).map(async ({ id, name }) => {
      const students = await api.classes.students({ params: { id } })
      const numberOf = new Map(students.map((student) => [student.id, student.student_number ?? '']))
      return { id, name, numberOf, lines: students.map(({ student_number }) => lineOf.get(student_number ?? '') as Line) }
    }),
  )
}, 300_000)
afterAll(() => st.close())

const everyTerm = () => classes.flatMap((place) => terms.map((term, at) => ({ place, term, at })))
const lineIn = ({ numberOf }: SubjectMarks, studentId: string) => lineOf.get(numberOf.get(studentId) ?? '') as Line

describe('the 395 real pupils', () => {
  test('are all in classes of about 30, each of one school, in the order of the file', () => {
    expect(lines).toHaveLength(395)
    const placed = [...classes]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((place) => place.lines.map(({ number }) => number).sort())
    expect(placed).toEqual(lines.map(({ number }) => number))
    for (const place of classes) {
      expect(new Set(place.lines.map(({ school: at }) => at)).size).toBe(1)
      expect(place.lines.length).toBeGreaterThanOrEqual(20)
      expect(place.lines.length).toBeLessThanOrEqual(32)
    }
    expect(told.at(-1)).toBe('The report books of the year are written.')
  })

  test('class-term: every average, letter, position and size of class', async () => {
    for (const { place, term, at } of everyTerm()) {
      const all = place.lines.map((line) => termCents(line, at))
      const { students } = await api.calculations.classTerm({ query: { termId: term.id, studentGroupId: place.id } })
      expect(students).toHaveLength(all.length)
      for (const { student_id, overall_average, letter_grade, position, total_students, subjects } of students) {
        const cents = termCents(lineIn(place, student_id), at)
        const composite = Number(cents) / 100
        expect({ overall_average, letter_grade, position, total_students }).toEqual({
          overall_average: composite,
          letter_grade: letterOf(cents),
          position: positionOf(cents, all),
          total_students: all.length,
        })
        const sides =
          at === 2 ? { coursework_average: null, exam_average: composite } : { coursework_average: composite, exam_average: null }
        expect(subjects).toMatchObject([{ subject_code: 'MATH', ...sides, term_composite: composite, is_partial: false }])
      }
    }
  })

  test('class-year: the year grade of every pupil, and their positions', async () => {
    for (const place of classes) {
      const all = place.lines.map(yearCents)
      const { students } = await api.calculations.classYear({ query: { academicYearId: year.id, studentGroupId: place.id } })
      for (const { student_id, year_overall, letter_grade, position, subjects } of students) {
        const line = lineIn(place, student_id)
        const cents = yearCents(line)
        expect({ student_id, year_overall, letter_grade, position }).toEqual({
          student_id,
          year_overall: Number(cents) / 100,
          letter_grade: letterOf(cents),
          position: positionOf(cents, all),
        })
        expect(subjects[0]).toMatchObject({ year_grade: Number(cents) / 100, end_of_year_exam: line.marks[2] * 5 })
        expect(subjects[0]?.terms.map(({ term_composite }) => term_composite)).toEqual(line.marks.map((mark) => mark * 5))
      }
      expect(students).toHaveLength(all.length)
    }
  })

  test('class-summary: average, median, extremes, passes, letters and genders', async () => {
    for (const { place, term, at } of everyTerm()) {
      const cents = place.lines.map((line) => termCents(line, at)).sort((a, b) => Number(a - b))
      const size = cents.length
      const middle = size % 2 === 1 ? [cents[(size - 1) / 2] as bigint] : [cents[size / 2 - 1] as bigint, cents[size / 2] as bigint]
      const passes = cents.filter((value) => value >= 5_000n).length
      const figures = {
        total_students: size,
        ranked_students: size,
        class_average: mean(cents),
        median: mean(middle),
        lowest: Number(cents[0]) / 100,
        highest: Number(cents.at(-1)) / 100,
        pass_count: passes,
        fail_count: size - passes,
        pass_rate: percent(passes, size),
        distribution: LETTERS.map(([, letter]) => ({ letter, count: cents.filter((value) => letterOf(value) === letter).length })),
      }
      const summary = await api.calculations.classSummary({ query: { termId: term.id, studentGroupId: place.id } })
      expect(summary).toMatchObject({ ...figures, subjects: [figures] })
      for (const gender of ['female', 'male'] as const) {
        const own = place.lines.filter((line) => line.gender === gender).map((line) => termCents(line, at))
        const passed = own.filter((value) => value >= 5_000n).length
        expect(summary.by_gender).toContainEqual({
          gender,
          count: own.length,
          class_average: mean(own),
          pass_rate: percent(passed, own.length),
        })
      }
    }
  })

  test('report books of every class and term hold the same figures', async () => {
    for (const { place, term, at } of everyTerm()) {
      const all = place.lines.map((line) => termCents(line, at))
      const books = await api.reports.list({ query: { studentGroupId: place.id, termId: term.id, reportType: 'term' } })
      expect(books).toHaveLength(all.length)
      for (const { student_id, status, overall_average, position, total_students } of books) {
        const cents = termCents(lineIn(place, student_id), at)
        expect({ status, overall_average, position, total_students }).toEqual({
          status: 'draft',
          overall_average: Number(cents) / 100,
          position: positionOf(cents, all),
          total_students: all.length,
        })
      }
    }
  })

  test('report books of the year hold the year grades, and their entries the working', async () => {
    const lastTerm = terms[2] as { id: string }
    for (const place of classes) {
      const all = place.lines.map(yearCents)
      const books = await api.reports.list({ query: { studentGroupId: place.id, termId: lastTerm.id, reportType: 'year_end' } })
      expect(books).toHaveLength(all.length)
      for (const { student_id, overall_average, position } of books) {
        const cents = yearCents(lineIn(place, student_id))
        expect({ overall_average, position }).toEqual({ overall_average: Number(cents) / 100, position: positionOf(cents, all) })
      }
      const [book] = books
      if (!book) throw new Error(`${place.name} has no report books`)
      const cents = yearCents(lineIn(place, book.student_id))
      const { entries } = await api.reports.get({ params: { id: book.id } })
      expect(entries).toMatchObject([{ year_grade: Number(cents) / 100, letter_grade: letterOf(cents), subject: { code: 'MATH' } }])
    }
  })

  test('a database that holds a school is left alone', async () => {
    const before = await st.digest()
    await expect(seedRealPupils(st.services, () => {})).rejects.toThrow('already holds a school')
    expect(await st.digest()).toBe(before)
  })
})
