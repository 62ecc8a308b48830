import { class3B, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasPoppler, textOfPdf } from '../../../documents/drawing/pdf-text.fixtures.ts'
import { openCardSetup, reportCard } from '../../../documents/report-card/report-card.ts'
import { asSystem } from '../../../store/tx.ts'
import { type School, school } from '../../../testing/school.ts'
import { booksOfType } from '../reports.queries.ts'
import { printingOf } from './pdf-storage.ts'
import { cardsInput, readReportCards } from './report-card-data.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const passFail = {
  passMark: 40,
  bands: [
    { letter: 'Pass', minimum: 40, remark: 'Goes on' },
    { letter: 'Not', minimum: 0, remark: 'Comes again' },
  ],
}
const period = { group: class3B, term: michaelmas, year: thisYear, type: 'term' } as never
const ofTerm = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const

/** The cards of the class as they are drawn now, by book. */
async function cards() {
  const data = await st.services.store.read(asSystem(), async (tx) => {
    const books = await booksOfType(tx, { school: class3B.school_id, group: class3B.id, term: michaelmas.id }, 'term')
    return readReportCards(tx, period, books, printingOf({}))
  })
  const input = await cardsInput(data, st.services.files)
  const setup = await openCardSetup(input)
  return new Map(await Promise.all(input.cards.map(async (card) => [card.id, { card, bytes: await reportCard(setup, card) }] as const)))
}

/** Whether every letter on the card belongs to its own scale. */
function isOfOnePiece(card: { scale?: { bands: readonly { letter: string }[] }; entries: readonly { letter_grade: string | null }[] }) {
  const known = new Set(card.scale?.bands.map(({ letter }) => letter))
  return card.entries.every(({ letter_grade }) => letter_grade === null || known.has(letter_grade))
}

test.skipIf(!hasPoppler)('a card that was sent prints letters, legend and remarks of the scale that it was sent with', async () => {
  const { reports } = await st.as.byrne.reports.generate({ body: ofTerm })
  const { id } = reports.find(({ status }) => status === 'draft') ?? { id: '' }
  await st.as.byrne.reports.publish({ params: { id } })
  await st.as.byrne.reports.sendToMinistry({ params: { id } })
  const before = (await cards()).get(id)
  await st.as.okafor.gradingScale.put({ body: passFail })
  const after = (await cards()).get(id)
  if (!before || !after) throw new Error('there is no card')
  expect(isOfOnePiece(after.card)).toBe(true)
  const text = textOfPdf(after.bytes)
  expect(text).toBe(textOfPdf(before.bytes))
  expect(text).toMatch(/A\+ .*Outstanding/)
  expect(text).not.toMatch(/Goes on|Comes again/)
  const [book] = (await st.rows('report_book')).filter((row) => row.id === id)
  expect(book?.sent_snapshot).toMatchObject({ frozen: { snapshot: { scale: { pass_mark: 50 } } }, scale: { pass_mark: 50 } })
})

test('a draft keeps its letters beside their scale, is behind, and gets the new ones when it is generated again', async () => {
  await st.as.byrne.reports.generate({ body: ofTerm })
  await st.as.okafor.gradingScale.put({ query: { academicYearId: thisYear.id }, body: passFail })
  for (const { card } of (await cards()).values()) if (card.status === 'draft') expect(isOfOnePiece(card)).toBe(true)
  const drafts = (await st.as.byrne.reports.standing({ query: ofTerm })).filter(({ status }) => status === 'draft')
  expect(drafts.length).toBeGreaterThan(0)
  expect(drafts.every(({ is_behind }) => is_behind)).toBe(true)
  await st.as.byrne.reports.generate({ body: ofTerm })
  for (const { card } of (await cards()).values())
    if (card.status === 'draft') {
      expect(card.scale?.bands.map(({ letter }) => letter)).toEqual(['Pass', 'Not'])
      expect(isOfOnePiece(card)).toBe(true)
    }
})

test('a book of an older program, without a scale, is not behind for that, and gets the present scale when it is sent', async () => {
  const { reports } = await st.as.byrne.reports.generate({ body: ofTerm })
  const { id } = reports.find(({ status }) => status === 'draft') ?? { id: '' }
  await st.services.store.write(asSystem(), async (tx) => {
    const book = await tx.find('report_book', class3B.school_id, id)
    if (!book) throw new Error('there is no book')
    const { scale: _, ...snapshot } = book.snapshot
    await tx.update('report_book', book, { snapshot })
  })
  const standing = await st.as.byrne.reports.standing({ query: ofTerm })
  expect(standing.find(({ report_id }) => report_id === id)?.is_behind).toBe(false)
  await st.as.byrne.reports.publish({ params: { id } })
  await st.as.byrne.reports.sendToMinistry({ params: { id } })
  await st.as.okafor.gradingScale.put({ body: passFail })
  expect((await cards()).get(id)?.card.scale?.passMark).toBe(50)
})
