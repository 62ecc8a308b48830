import { naturalId } from '@markbook/shared/ids'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B } from '@markbook/shared/story/school-year'

export const hilary = naturalId('term', class3B.academic_year_id, 'hilary')
/** The book for the second term of the pupil whose first is a draft: nobody has made it yet. */
export const BOOK = naturalId('report_book', draftReport.student_id, hilary, 'term')
