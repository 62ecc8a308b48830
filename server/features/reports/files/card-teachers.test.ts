import { mei, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3B, english, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asSystem } from '../../../store/tx.ts'
import { type School, school } from '../../../testing/school.ts'
import { booksOfType } from '../reports.queries.ts'
import { printingOf } from './pdf-storage.ts'
import { readReportCards } from './report-card-data.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const period = { group: class3B, term: michaelmas, year: thisYear, type: 'term' } as never
const ofTerm = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const

/** Who teaches English to a student of 3B, as the card says. */
async function englishTeacherOf({ first_name }: { first_name: string }) {
  const { cards } = await st.services.store.read(asSystem(), async (tx) => {
    const books = await booksOfType(tx, { school: class3B.school_id, group: class3B.id, term: michaelmas.id }, 'term')
    return readReportCards(tx, period, books, printingOf({}))
  })
  const card = cards.cards.find(({ student }) => student.first_name === first_name)
  return card?.entries.find(({ subject }) => subject === english.name)?.teacher
}

test('a student who has a subject in a set gets the teachers of the set on the card, the others those of the class', async () => {
  await st.as.byrne.reports.generate({ body: ofTerm })
  const before = [await englishTeacherOf(mei), await englishTeacherOf(zoe)]
  expect(before).not.toContain('Ada Nowak')
  await st.as.okafor.teachingSets.create({
    body: {
      academicYearId: thisYear.id,
      subjectId: english.id,
      name: 'English upper',
      teacherIds: [people.ada.id, people.quinn.id],
      studentIds: [mei.id],
    },
  })
  expect([await englishTeacherOf(mei), await englishTeacherOf(zoe)]).toEqual(['Ada Nowak, Síle Quinn', before[1]])
})
