import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jpeg, png } from '../../../testing/pictures.ts'
import { type School, school } from '../../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const of3B = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }
/** The widths of the pictures in a PDF. */
const widths = (pdf: unknown) =>
  [
    ...Buffer.from(pdf as Uint8Array)
      .toString('latin1')
      .matchAll(/\/Width (\d+)/g),
  ].map(([, width]) => Number(width))
const upload = (content: Uint8Array<ArrayBuffer>, type: string) => {
  const body = new FormData()
  body.set('file', new File([content], 'crest', { type }))
  return st.as.okafor.schools.putCrest({ body })
}
const printed = async () => widths((await st.as.byrne.reportFiles.print.raw({ query: of3B })).body)

describe('the uploaded crest', () => {
  test('is on cards and on the broadsheet, in its newest version', async () => {
    expect(await printed()).toEqual([])
    await upload(png({ width: 37, height: 41 }), 'image/png')
    expect(await printed()).toEqual([37])
    const { id } = await st.as.byrne.reportFiles.generatePdf({ params: { id: draftReport.id } })
    expect(widths((await st.as.byrne.reportFiles.downloadPdf.raw({ params: { id: draftReport.id, pdfId: id } })).body)).toEqual([37])
    await st.as.byrne.reportFiles.generateClassFile({ body: { ...of3B, fileType: 'pdf' } })
    expect(widths((await st.as.byrne.reportFiles.downloadClassFile.raw({ query: { ...of3B, fileType: 'pdf' } })).body)).toEqual([37])
    await upload(jpeg, 'image/jpeg')
    expect(await printed()).toHaveLength(1)
    expect(await printed()).not.toEqual([37])
  })
})
