import type { Contract } from '@markbook/shared/contract/contract'
import { attendanceRows } from './matrix/attendance.ts'
import { classRows } from './matrix/classes.ts'
import { jobRows, reportFileRows } from './matrix/files.ts'
import { assessmentRows, auditRows, binRows, gradeRows, historyRows, importRows } from './matrix/marks.ts'
import type { HistoryIds } from './matrix/neighbour.ts'
import { replicationRows } from './matrix/nodes.ts'
import { passkeyRows } from './matrix/passkeys.ts'
import { authRows, invitationRows, schoolRows } from './matrix/people.ts'
import { avatarRows } from './matrix/pictures.ts'
import { calculationRows, overviewRows, reportRows } from './matrix/results.ts'
import type { Rows } from './matrix/row.ts'
import { sessionRows } from './matrix/sessions.ts'
import { categoryRows, gradingScaleRows, studentRows, subjectRows, termRows, yearRows } from './matrix/setup.ts'
import { signInMethodRows } from './matrix/sign-in-methods.ts'
import { teachingSetRows } from './matrix/teaching-sets.ts'

export type Matrix = { [R in keyof Contract]: Rows<Contract[R]> }

/** Who gets what answer where, for every endpoint (decisions §1, order of checks, and §2, the rights). */
export const matrixOf = (history: HistoryIds): Matrix => ({
  auth: authRows,
  avatars: avatarRows,
  outage: signInMethodRows,
  passkeys: passkeyRows,
  sessions: sessionRows,
  schools: schoolRows,
  invitations: invitationRows,
  academicYears: yearRows,
  terms: termRows,
  students: studentRows,
  subjects: subjectRows,
  classes: classRows,
  teachingSets: teachingSetRows,
  assessmentCategories: categoryRows,
  attendance: attendanceRows,
  assessments: assessmentRows,
  grades: gradeRows,
  calculations: calculationRows,
  reportFiles: reportFileRows,
  reports: reportRows,
  overview: overviewRows,
  jobs: jobRows,
  gradingScale: gradingScaleRows,
  history: historyRows(history),
  audit: auditRows,
  bin: binRows(history),
  imports: importRows(history),
  replication: replicationRows,
})
