import { class3B, michaelmas, thisYear, trinity } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasPoppler, textOfPdf } from '../../../documents/drawing/pdf-text.fixtures.ts'
import { openCardSetup, reportCard } from '../../../documents/report-card/report-card.ts'
import { asSystem, type ReadTx } from '../../../store/tx.ts'
import { type School, school } from '../../../testing/school.ts'
import { booksOfType } from '../reports.queries.ts'
import { refreshed } from '../snapshot.ts'
import { readBroadsheet } from './broadsheet-data.ts'
import { printingOf } from './pdf-storage.ts'
import { cardsInput, readReportCards } from './report-card-data.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

type Type = 'term' | 'year_end'
const termOf = (type: Type) => (type === 'term' ? michaelmas : trinity)
const inClass = (type: Type) => ({ studentGroupId: class3B.id, termId: termOf(type).id, reportType: type })

async function periodOf(tx: ReadTx, type: Type) {
  const term = await tx.find('term', class3B.school_id, termOf(type).id)
  const year = await tx.find('academic_year', class3B.school_id, thisYear.id)
  return { group: class3B, term, year, type } as never
}

/** The text of a book's card as it is drawn now. */
async function cardText(type: Type, id: string): Promise<string> {
  const of = { school: class3B.school_id, group: class3B.id, term: termOf(type).id }
  const data = await st.services.store.read(asSystem(), async (tx) =>
    readReportCards(tx, await periodOf(tx, type), await booksOfType(tx, of, type), printingOf({})),
  )
  const input = await cardsInput(data, st.services.files)
  const card = input.cards.find((one) => one.id === id)
  if (!card) throw new Error('there is no card')
  return textOfPdf(await reportCard(await openCardSetup(input), card))
}

/** Of Michaelmas there is an exam without coursework, and of Trinity no exam. */
async function openBook(type: Type): Promise<string> {
  const { reports } = await st.as.byrne.reports.generate({ body: inClass(type) })
  for (const { id, status } of reports) if (status === 'draft' && (await partialSubjects(id)).length > 0) return id
  throw new Error('no draft has a partial result')
}

const partialSubjects = async (id: string) =>
  (await st.as.byrne.reports.get({ params: { id } })).entries.flatMap(({ subject, is_partial }) => (is_partial ? [subject.code] : []))

async function listedAsPartial(type: Type, id: string) {
  const entries = await st.as.byrne.reports.entries({ query: inClass(type) })
  return entries.flatMap(({ report_book_id, subject, is_partial }) => (report_book_id === id && is_partial ? [subject.code] : []))
}

async function send(id: string) {
  await st.as.byrne.reports.publish({ params: { id } })
  await st.as.byrne.reports.sendToMinistry({ params: { id } })
}

/** What is missing has no weight any more. */
const otherWeights = {
  term: () => st.as.okafor.terms.update({ params: { id: michaelmas.id }, body: { courseworkWeight: 0, examWeight: 100 } }),
  year_end: () =>
    st.as.okafor.academicYears.update({
      params: { id: thisYear.id },
      body: { calculationModel: 'continuous_cumulative', yearCourseworkWeight: 100, yearExamWeight: 0 },
    }),
}
const asSent = {
  term: /40 %.*60 %/s,
  year_end: /Michaelmas.*40 %.*60 %/s,
}
const ofNow = { term: /100 %/, year_end: /of 100.*of 0/s }

/** As a program wrote it that kept no weights, and not which terms are partial. */
async function forgetWeights(id: string) {
  await st.services.store.write(asSystem(), async (tx) => {
    const book = await tx.find('report_book', class3B.school_id, id)
    if (!book) throw new Error('there is no book')
    const { weights: _, ...snapshot } = book.snapshot
    const entries = snapshot.entries.map(({ year, ...entry }) => {
      if (!year) return entry
      return { ...entry, year: { ...year, terms: year.terms.map(({ term_id, term_composite }) => ({ term_id, term_composite })) } }
    })
    await tx.update('report_book', book, { snapshot: { ...snapshot, entries } })
  })
}
const stored = async (id: string) => (await st.rows('report_book')).find((row) => row.id === id)

test.skipIf(!hasPoppler).each(['term', 'year_end'] as const)(
  'a %s card that was sent keeps the weights that it was sent with',
  async (type) => {
    const id = await openBook(type)
    await send(id)
    const before = { text: await cardText(type, id), partial: await partialSubjects(id), listed: await listedAsPartial(type, id) }
    expect(before.text).toMatch(asSent[type])
    expect(before.text).toContain('†')
    expect(before.listed).toEqual(before.partial)
    await otherWeights[type]()
    expect({ text: await cardText(type, id), partial: await partialSubjects(id), listed: await listedAsPartial(type, id) }).toEqual(before)
    const weights = { coursework_weight: 40, exam_weight: 60 }
    expect((await stored(id))?.sent_snapshot).toMatchObject({ weights, frozen: { snapshot: { weights } } })
  },
)

test('a draft keeps the weights of its figures, is behind, and has the new ones when it is generated again', async () => {
  const id = await openBook('term')
  await otherWeights.term()
  expect((await stored(id))?.snapshot.weights).toEqual({ coursework_weight: 40, exam_weight: 60 })
  const standing = await st.as.byrne.reports.standing({ query: inClass('term') })
  expect(standing.find(({ report_id }) => report_id === id)?.is_behind).toBe(true)
  await st.as.byrne.reports.generate({ body: inClass('term') })
  expect((await stored(id))?.snapshot.weights).toEqual({ coursework_weight: 0, exam_weight: 100 })
  expect(await partialSubjects(id)).toEqual([])
})

test('a draft is behind for its weights alone, since its card prints them', async () => {
  const snapshot = (await stored(await openBook('term')))?.snapshot
  if (!snapshot) throw new Error('there is no book')
  const other = { ...snapshot, weights: { coursework_weight: 50, exam_weight: 50 } }
  expect(refreshed(snapshot, { ...snapshot, generated_at: 'later' })).toBe(snapshot)
  expect(refreshed(snapshot, other)).toBe(other)
})

test.skipIf(!hasPoppler).each(['term', 'year_end'] as const)(
  'a %s card of an older program, which says no weights, is not behind for that and is printed by those of now',
  async (type) => {
    const id = await openBook(type)
    const partial = await partialSubjects(id)
    await forgetWeights(id)
    const standing = await st.as.byrne.reports.standing({ query: inClass(type) })
    expect(standing.find(({ report_id }) => report_id === id)?.is_behind).toBe(false)
    expect(await cardText(type, id)).toMatch(asSent[type])
    expect([await partialSubjects(id), await listedAsPartial(type, id)]).toEqual([partial, partial])
    await otherWeights[type]()
    expect(await cardText(type, id)).toMatch(ofNow[type])
    expect(await partialSubjects(id)).toEqual([])
  },
)

test('what an older program made is sent with the weights of that moment', async () => {
  const id = await openBook('year_end')
  await forgetWeights(id)
  await send(id)
  await otherWeights.year_end()
  const weights = { coursework_weight: 40, exam_weight: 60, calculation_model: 'weighted_continuous' }
  expect((await stored(id))?.sent_snapshot).toMatchObject({ weights })
  expect((await partialSubjects(id)).length).toBeGreaterThan(0)
})

test.skipIf(!hasPoppler)('a year grade is signed on card and broadsheet where a term that it is the mean of is partial', async () => {
  // In this model no part of the year itself can be missing.
  const body = { calculationModel: 'weighted_cumulative', yearCourseworkWeight: 100, yearExamWeight: 0 } as const
  await st.as.okafor.academicYears.update({ params: { id: thisYear.id }, body })
  const id = await openBook('year_end')
  const student = (await stored(id))?.student_id as string
  const year = await st.as.byrne.calculations.studentYear({ query: { studentId: student, academicYearId: thisYear.id } })
  expect(year.subjects.every(({ is_partial }) => !is_partial)).toBe(true)
  const signed = year.subjects.filter(({ terms }) => terms.some((term) => term.is_partial && term.term_composite !== null))
  const codes = signed.map(({ subject_code }) => subject_code)
  expect(codes.length).toBeGreaterThan(0)
  expect([await partialSubjects(id), await listedAsPartial('year_end', id)]).toEqual([codes, codes])
  const grade = signed[0]?.year_grade?.toFixed(2)
  expect(await cardText('year_end', id)).toContain(`${grade} †`)
  const sheet = await st.services.store.read(asSystem(), async (tx) => readBroadsheet(tx, await periodOf(tx, 'year_end'), printingOf({})))
  const own = sheet.pupils[(await st.as.byrne.reports.list({ query: inClass('year_end') })).findIndex((book) => book.id === id)]
  expect(sheet.subjects.flatMap((subject) => (own?.marks[subject.id]?.is_partial ? [subject.code] : []))).toEqual(codes)
  // What is said of the terms stays with the book.
  const kept = (await stored(id))?.snapshot.entries.map(({ subject_id, year: of }) => [subject_id, of?.terms])
  expect(kept).toEqual(year.subjects.map(({ subject_id, terms }) => [subject_id, terms.map(({ name: _, ...term }) => term)]))
})

test.skipIf(!hasPoppler)('a term that is added after a card was sent has no column on it and makes nothing partial', async () => {
  const id = await openBook('year_end')
  await send(id)
  const before = { text: await cardText('year_end', id), partial: await partialSubjects(id) }
  const { start_date: startDate, end_date: endDate } = trinity
  const body = { academicYearId: thisYear.id, name: 'Summer', startDate, endDate, examWeight: 60, courseworkWeight: 40 }
  await st.as.okafor.terms.create({ body })
  expect({ text: await cardText('year_end', id), partial: await partialSubjects(id) }).toEqual(before)
})
