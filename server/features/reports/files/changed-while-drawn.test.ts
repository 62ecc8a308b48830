import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type School, school } from '../../../testing/school.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const draft = { id: draftReport.id }
const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }
const pdfs = async () => (await st.rows('report_book_pdf')).filter(({ report_book_id }) => report_book_id === draft.id)
const paper = async () => (await st.as.byrne.reports.standing({ query: of3B })).find((one) => one.report_id === draft.id)?.paper
const change = (conduct: string) => st.as.byrne.reports.update({ params: draft, body: { conduct } })

/** Changes the report after its card was drawn, for the first `times` drawings; returns the number of drawings. */
async function changedWhileDrawn(times: number, change: () => Promise<unknown>, work: () => Promise<unknown>): Promise<number> {
  const { documents } = st.services
  const { reportCards } = documents
  let drawn = 0
  Object.assign(documents, {
    reportCards: async (input: Parameters<typeof reportCards>[0], options: Parameters<typeof reportCards>[1]) => {
      const cards: Parameters<NonNullable<typeof options.onCard>>[0][] = []
      const all = await reportCards(input, { ...options, onCard: (card) => void cards.push(card) })
      drawn += 1
      st.clock.advance(1_000)
      if (drawn <= times) await change()
      st.clock.advance(1_000)
      for (const card of cards) await options.onCard?.(card)
      return all
    },
  })
  await work().finally(() => Object.assign(documents, { reportCards }))
  return drawn
}

describe('a report that is changed while its card is drawn', () => {
  test('a single one: 409, and no outdated PDF is recorded', async () => {
    const asked = async () =>
      expect(await st.as.byrne.reportFiles.generatePdf.raw({ params: draft })).toMatchObject({
        status: 409,
        body: { code: 'reports.changed_while_drawn' },
      })
    await changedWhileDrawn(1, () => change('Changed.'), asked)
    expect(await pdfs()).toEqual([])
    await st.as.byrne.reportFiles.generatePdf({ params: draft })
    expect((await paper())?.is_older).toBe(false)
  })

  test('published meanwhile: its draft is not recorded as the final PDF', async () => {
    const asked = async () => expect((await st.as.byrne.reportFiles.generatePdf.raw({ params: draft })).status).toBe(409)
    await changedWhileDrawn(1, () => st.as.byrne.reports.publish({ params: draft }), asked)
    expect(await pdfs()).toEqual([])
  })

  test('in a job of a class: it is drawn again, and every report has an up-to-date PDF', async () => {
    const job = async () => {
      const { job_id } = await st.as.byrne.reportFiles.generatePdfs({ body: of3B })
      await expect.poll(async () => (await st.as.byrne.jobs.get({ params: { id: job_id } })).status, { timeout: 20_000 }).toBe('done')
      const { done, total, failures } = await st.as.byrne.jobs.get({ params: { id: job_id } })
      expect([done, failures.filter(({ id }) => id === draft.id)]).toEqual([total, []])
    }
    expect(await changedWhileDrawn(1, () => change('Changed.'), job)).toBe(2)
    expect(await pdfs()).toHaveLength(1)
    expect((await paper())?.is_older).toBe(false)
  })

  test('one that is changed repeatedly is among the failures', async () => {
    const job = async () => {
      const { job_id } = await st.as.byrne.reportFiles.generatePdfs({ body: of3B })
      await expect.poll(async () => (await st.as.byrne.jobs.get({ params: { id: job_id } })).done, { timeout: 20_000 }).toBeGreaterThan(1)
      const { failures } = await st.as.byrne.jobs.get({ params: { id: job_id } })
      const message = 'This report was changed while its PDF was made. Please make the PDF again.'
      expect(failures).toContainEqual({ id: draft.id, message, code: 'reports.changed_while_drawn' })
    }
    await changedWhileDrawn(99, () => change(`Changed ${st.clock.now()}.`), job)
    expect(await pdfs()).toEqual([])
  })
})
