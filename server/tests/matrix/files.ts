import type { jobs } from '@markbook/shared/contract/jobs'
import type { reportFiles } from '@markbook/shared/contract/report-files'
import { elan, pupilsOf3A } from '@markbook/shared/story/marks'
import { draftReport, hilltopReport, sentReport } from '@markbook/shared/story/reports'
import { class3A, class3B, hilltopClass, hilltopTerm, michaelmas } from '@markbook/shared/story/school-year'
import { draftPdf, hilltopPdf, jobIds, PDF_TEXT, publishedReport } from './neighbour.ts'
import { ABSENT, manageClass, type Row, type Rows, reportById } from './row.ts'

type Of = Parameters<typeof manageClass>[0]

const groups = { own: class3B.id, other: class3A.id, hilltop: hilltopClass.id }
const ofClass = (studentGroupId: string) => ({
  studentGroupId,
  termId: studentGroupId === hilltopClass.id ? hilltopTerm.id : michaelmas.id,
  reportType: 'term',
})
const asked = (more: object) => (id: string) => ({ query: { ...ofClass(id), ...more } })
const sent = (more: object) => (id: string) => ({ body: { ...ofClass(id), ...more } })
/** Nothing was made for 3A yet. */
const unlessMade = (of: Of, nothing: string): Row => ({
  ...manageClass(of, groups),
  other: [of(class3A.id), `403 403 403 404:${nothing} 404:${nothing} 404`],
})

const books = { own: draftReport.id, hilltop: hilltopReport.id }
const byId = (id: string) => ({ params: { id } })
const file = { name: 'card.pdf', text: PDF_TEXT, type: 'application/pdf' }
const locked = (of: Of): Row['own'] => [of(sentReport.id), '403 403 409:reports.locked 403 409:reports.locked 404']
const changing = (of: Of): Row => ({ ...reportById(of, books), sent: locked(of) })
const pdfOf = (id: string) => (id === books.own ? draftPdf.id : id === books.hilltop ? hilltopPdf.id : ABSENT)

export const reportFileRows: Rows<typeof reportFiles> = {
  archive: unlessMade(asked({}), 'reports.no_pdf'),
  print: {
    ...unlessMade(asked({}), 'reports.no_books'),
    ofStudent: [asked({ studentId: elan.id })(class3B.id), '403 403 ok 403 ok 404'],
    ofOtherClass: [asked({ studentId: pupilsOf3A[0]?.id })(class3B.id), '403 403 404 403 404 404'],
  },
  classFiles: manageClass(asked({}), groups),
  downloadClassFile: unlessMade(asked({ fileType: 'pdf' }), 'reports.no_class_file'),
  uploadClassFile: manageClass((id) => ({ form: { ...ofClass(id), fileType: 'pdf' }, file }), groups),
  generateClassFile: manageClass(sent({ fileType: 'csv' }), groups),
  generatePdfs: unlessMade(sent({}), 'reports.no_books'),
  recordPdf: changing((id) => ({ params: { id }, body: { filePath: `${id}/furnished.pdf`, fileSize: PDF_TEXT.length } })),
  uploadPdf: changing((id) => ({ params: { id }, file })),
  generatePdf: changing(byId),
  pdfs: reportById(byId, books),
  latestPdf: reportById(byId, books),
  downloadPdf: {
    ...reportById((id) => ({ params: { id, pdfId: pdfOf(id) } }), books),
    ofAnother: [{ params: { id: publishedReport.id, pdfId: draftPdf.id } }, '403 403 404 403 404 404'],
  },
}

/** A job is its maker's, and the administrators'. Byrne made the one at St Brigid's. */
const job: Row = {
  own: [byId(jobIds.own), '        403 403 ok  403 ok  404'],
  hilltop: [byId(jobIds.hilltop), '403 404 404 404 404 ok '],
  absent: [byId(ABSENT), '         403 404 404 404 404 404'],
}
export const jobRows: Rows<typeof jobs> = { get: job, events: job }
