import type { imports } from '@markbook/shared/contract/imports'
import type { Handlers } from '../../http/handler.ts'
import { gradeSheet } from './grade-sheet.ts'
import { importGrades } from './grades-import.ts'
import { importStudents } from './students-import.ts'

export const importHandlers: Handlers<typeof imports> = { students: importStudents, grades: importGrades, gradeSheet }
