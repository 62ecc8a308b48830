import type { Contract } from '@markbook/shared/contract/contract'
import type { Handlers } from '../http/handler.ts'
import { academicYearHandlers } from './academic-years/academic-years.handlers.ts'
import { assessmentCategoryHandlers } from './assessment-categories/assessment-categories.handlers.ts'
import { assessmentHandlers } from './assessments/assessments.handlers.ts'
import { attendanceHandlers } from './attendance/attendance.handlers.ts'
import { auditHandlers } from './audit/audit.handlers.ts'
import { authHandlers } from './auth/auth.handlers.ts'
import { passkeyHandlers } from './auth/passkeys.handlers.ts'
import { signInMethodHandlers } from './auth/sign-in-methods.handlers.ts'
import { avatarHandlers } from './avatars/avatars.handlers.ts'
import { binHandlers } from './bin/bin.handlers.ts'
import { calculationHandlers } from './calculations/calculations.handlers.ts'
import { classHandlers } from './classes/classes.handlers.ts'
import { overviewHandlers } from './classes/overview.handlers.ts'
import { gradeHandlers } from './grades/grades.handlers.ts'
import { gradingScaleHandlers } from './grading-scale/grading-scale.handlers.ts'
import { historyHandlers } from './history/history.handlers.ts'
import { gradeSheet } from './imports/grade-sheet.ts'
import { importGrades } from './imports/grades-import.ts'
import { importTemplate } from './imports/import-template.ts'
import { pastImports } from './imports/past-imports.ts'
import { importStudents } from './imports/students-import.ts'
import { undoImport } from './imports/undo-import.ts'
import { jobHandlers } from './jobs/jobs.handlers.ts'
import { replicationHandlers } from './replication/replication.handlers.ts'
import { classFileHandlers } from './reports/files/class-files.handlers.ts'
import { classPdfHandlers } from './reports/files/class-pdfs.handlers.ts'
import { pdfHandlers } from './reports/files/pdfs.handlers.ts'
import { reportHandlers } from './reports/reports.handlers.ts'
import { invitationHandlers } from './schools/invitations.handlers.ts'
import { schoolHandlers } from './schools/schools.handlers.ts'
import { sessionHandlers } from './sessions/sessions.handlers.ts'
import { studentHandlers } from './students/students.handlers.ts'
import { subjectHandlers } from './subjects/subjects.handlers.ts'
import { teachingSetHandlers } from './teaching-sets/teaching-sets.handlers.ts'
import { termHandlers } from './terms/terms.handlers.ts'

/** Every resource of the contract with its handlers. */
export const handlers = {
  auth: authHandlers,
  avatars: avatarHandlers,
  outage: signInMethodHandlers,
  passkeys: passkeyHandlers,
  sessions: sessionHandlers,
  terms: termHandlers,
  gradingScale: gradingScaleHandlers,
  students: { ...studentHandlers, importTemplate },
  classes: classHandlers,
  teachingSets: teachingSetHandlers,
  attendance: attendanceHandlers,
  imports: { students: importStudents, grades: importGrades, gradeSheet, list: pastImports, undo: undoImport },
  schools: schoolHandlers,
  invitations: invitationHandlers,
  academicYears: academicYearHandlers,
  subjects: subjectHandlers,
  calculations: calculationHandlers,
  reportFiles: { ...classFileHandlers, ...classPdfHandlers, ...pdfHandlers },
  reports: reportHandlers,
  overview: overviewHandlers,
  jobs: jobHandlers,
  assessmentCategories: assessmentCategoryHandlers,
  assessments: assessmentHandlers,
  grades: gradeHandlers,
  history: historyHandlers,
  audit: auditHandlers,
  bin: binHandlers,
  replication: replicationHandlers,
} satisfies { [R in keyof Contract]: Handlers<Contract[R]> }
