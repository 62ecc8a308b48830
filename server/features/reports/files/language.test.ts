import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, hilltopClass, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPoppler, textOfPdf } from '../../../documents/drawing/pdf-text.fixtures.ts'
import { asSystem } from '../../../store/tx.ts'
import { type School, school } from '../../../testing/school.ts'
import { printingOf } from './pdf-storage.ts'
import { readHead } from './report-card-data.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } as const
const params = { id: draftReport.id }
const say = (documentLanguage: 'en' | 'fr' | 'ar' | null) => st.as.okafor.schools.updateMine({ body: { documentLanguage } })
const textIn = (bytes: unknown) => (hasPoppler ? textOfPdf(bytes as Uint8Array) : '')
const stored = async (pdf: { id: string }) =>
  textIn(await st.as.byrne.reportFiles.downloadPdf({ params: { id: draftReport.id, pdfId: pdf.id } }))

/** The language of a class's documents, by the class's id. */
async function languageOf(groupId: string, asked: Parameters<typeof printingOf>[0] = {}) {
  const group = (await st.rows('student_group')).find(({ id }) => id === groupId)
  const year = (await st.rows('academic_year')).find(({ school_id }) => school_id === group?.school_id)
  const term = (await st.rows('term')).find(({ school_id }) => school_id === group?.school_id)
  if (!group || !term || !year) throw new Error('no such class')
  const period = { group, term, year, type: 'term' } as const
  return st.services.store.read(asSystem(), async (tx) => (await readHead(tx, period, printingOf(asked))).frame.language)
}

describe('the language of papers', () => {
  test('is that of the school, English by default, and for one print the requested one', async () => {
    expect([await languageOf(class3B.id), await languageOf(class3B.id, { language: 'ar' })]).toEqual(['en', 'ar'])
    await say('fr')
    expect([await languageOf(class3B.id), await languageOf(class3B.id, { language: 'en' })]).toEqual(['fr', 'en'])
    // The neighbour’s papers stay as they are.
    expect(await languageOf(hilltopClass.id)).toBe('en')
    await say(null)
    expect(await languageOf(class3B.id)).toBe('en')
  })

  test.each(['de', 'FR', ''])('400 for %j, and nothing is made', async (language) => {
    const query = { language: language as 'fr' }
    const before = await st.digest()
    const asked = [
      await st.as.byrne.reportFiles.print.raw({ query: { ...of3B, ...query } }),
      await st.as.byrne.reportFiles.generatePdf.raw({ params, query }),
      await st.as.byrne.reportFiles.generatePdfs.raw({ body: of3B, query }),
      await st.as.byrne.reportFiles.generateClassFile.raw({ body: { ...of3B, fileType: 'pdf' }, query }),
    ]
    expect(asked.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(await st.digest()).toEqual(before)
  })
})

describe.runIf(hasPoppler)('papers of a school that prints in French', () => {
  beforeAll(() => say('fr'))
  afterAll(() => say(null))

  test('all cards for printing, and in Arabic where that is asked for', async () => {
    const french = textIn(await st.as.byrne.reportFiles.print({ query: of3B }))
    expect(french).toContain('Professeur principal')
    expect(french).not.toContain('Class teacher')
    expect(textIn(await st.as.byrne.reportFiles.print({ query: { ...of3B, language: 'ar' } }))).toContain('بطاقة تقرير')
  })

  test('a card, which keeps its language when the school chooses another', async () => {
    const first = await st.as.byrne.reportFiles.generatePdf({ params })
    const english = await st.as.byrne.reportFiles.generatePdf({ params, query: { language: 'en' } })
    await say('ar')
    expect(await stored(first)).toContain('Moyenne générale')
    expect(await stored(english)).toContain('Overall average')
    expect(await stored(await st.as.byrne.reportFiles.generatePdf({ params }))).toContain('بطاقة تقرير')
    await say('fr')
  })

  test('a job makes all cards in the language that was asked for, and is another than that in the school’s', async () => {
    const ask = async (query: { language?: 'ar' }) => (await st.as.byrne.reportFiles.generatePdfs({ body: of3B, query })).job_id
    const [own, arabic, again] = [await ask({}), await ask({ language: 'ar' }), await ask({ language: 'ar' })]
    expect(arabic).not.toBe(own)
    expect(again).toBe(arabic)
    await expect
      .poll(async () => (await st.as.byrne.jobs.get({ params: { id: arabic } })).status, { timeout: 30_000, interval: 100 })
      .toBe('done')
    expect(await stored(await st.as.byrne.reportFiles.latestPdf({ params }))).toContain('بطاقة تقرير')
  })

  test('the broadsheet as a PDF and as a workbook', async () => {
    const made = async (fileType: 'pdf' | 'xlsx') => {
      await st.as.byrne.reportFiles.generateClassFile({ body: { ...of3B, fileType } })
      return st.as.byrne.reportFiles.downloadClassFile({ query: { ...of3B, fileType } })
    }
    expect(textIn(await made('pdf'))).toContain('Tableau de classe')
    expect((await readWorkbook((await made('xlsx')) as Uint8Array)).head.slice(0, 2)).toEqual(['Nom', 'Prénom'])
  })
})
