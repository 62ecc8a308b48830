import { naturalId } from '@markbook/shared/ids'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, english, michaelmas } from '@markbook/shared/story/school-year'
import { type School, school } from '../../testing/school.ts'

/** A school that requires approval of report books, with a draft. */
export async function approvingSchool(): Promise<School> {
  const st = await school()
  await st.as.okafor.schools.updateMine({ body: { approvesReports: true } })
  return st
}

export const params = { id: draftReport.id }
export const entry = { entryId: naturalId('report_book_entry', draftReport.id, english.id) }
export const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' as const }
