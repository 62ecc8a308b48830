import { academicYears } from '@markbook/shared/contract/academic-years'
import { assessments } from '@markbook/shared/contract/assessments'
import { classes } from '@markbook/shared/contract/classes'
import { reports } from '@markbook/shared/contract/reports'
import { students } from '@markbook/shared/contract/students'
import { subjects } from '@markbook/shared/contract/subjects'
import { terms } from '@markbook/shared/contract/terms'
import { academicYearHandlers } from '../academic-years/academic-years.handlers.ts'
import { assessmentHandlers } from '../assessments/assessments.handlers.ts'
import { classHandlers } from '../classes/classes.handlers.ts'
import { reportHandlers } from '../reports/reports.handlers.ts'
import { studentHandlers } from '../students/students.handlers.ts'
import { subjectHandlers } from '../subjects/subjects.handlers.ts'
import { termHandlers } from '../terms/terms.handlers.ts'
import type { Entity } from './history.queries.ts'
import { named, route, throughRoutes, type Undoer } from './undo.ts'
import { gradeUndoer } from './undo-grade.ts'

/** The kinds of rows whose changes can be taken back, and how; of every other kind nothing can. */
export const undoers: Partial<Record<Entity, Undoer>> = {
  grade: gradeUndoer,
  assessment: throughRoutes(
    route(
      assessments.update,
      assessmentHandlers.update,
      named('title', 'assessment_type', 'assessment_date', 'max_score', 'weight', 'sort_order', 'student_group_id'),
    ),
    route(assessments.exclude, assessmentHandlers.exclude, named('is_excluded', 'exclusion_reason'), true),
  ),
  academic_year: throughRoutes(
    route(
      academicYears.update,
      academicYearHandlers.update,
      named('name', 'start_date', 'end_date', 'grading_model', 'calculation_model', 'year_exam_weight', 'year_coursework_weight'),
    ),
  ),
  term: throughRoutes(
    route(
      terms.update,
      termHandlers.update,
      named(
        'academic_year_id',
        'name',
        'start_date',
        'end_date',
        'exam_weight',
        'coursework_weight',
        'is_ministry_reporting',
        'sort_order',
      ),
    ),
  ),
  subject: throughRoutes(route(subjects.update, subjectHandlers.update, named('name', 'code', 'is_active'))),
  student: throughRoutes(
    route(
      students.update,
      studentHandlers.update,
      named('first_name', 'last_name', 'gender', 'date_of_birth', 'enrollment_date', 'student_number', 'is_active'),
    ),
  ),
  student_group: throughRoutes(route(classes.update, classHandlers.update, named('name'))),
  report_book: throughRoutes(
    route(reports.update, reportHandlers.update, named('class_teacher_remark', 'conduct', 'attendance_percentage')),
  ),
  report_book_entry: throughRoutes(
    route(reports.updateEntry, reportHandlers.updateEntry, { manual_letter: 'letterGrade', teacher_remark: 'teacherRemark' }),
  ),
}
