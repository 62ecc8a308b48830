import type { Contract } from '@markbook/shared/contract/contract'
import { classRows } from './matrix/classes.ts'
import { assessmentRows, gradeRows, historyRows, importRows } from './matrix/marks.ts'
import type { HistoryIds } from './matrix/neighbour.ts'
import { outageRows } from './matrix/outage.ts'
import { authRows, schoolRows } from './matrix/people.ts'
import { calculationRows, reportRows } from './matrix/results.ts'
import type { Rows } from './matrix/row.ts'
import { gradingScaleRows, studentRows, subjectRows, termRows, yearRows } from './matrix/setup.ts'

export type Matrix = { [R in keyof Contract]: Rows<Contract[R]> }

/** Who gets what answer where, for every endpoint (decisions §1, order of checks, and §2, the rights). */
export const matrixOf = (history: HistoryIds): Matrix => ({
  auth: authRows,
  outage: outageRows,
  schools: schoolRows,
  academicYears: yearRows,
  terms: termRows,
  students: studentRows,
  subjects: subjectRows,
  classes: classRows,
  assessments: assessmentRows,
  grades: gradeRows,
  calculations: calculationRows,
  reports: reportRows,
  gradingScale: gradingScaleRows,
  history: historyRows(history),
  imports: importRows,
})
