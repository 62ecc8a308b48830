import { imports } from '@markbook/shared/contract/imports'
import type { Row } from '@markbook/shared/tables/tables'
import { onUpload } from '../../http/handler.ts'
import type { ReadTx, WriteTx } from '../../store/tx.ts'
import { activeYearOf, classesOfYear } from '../academic-years/academic-years.policy.ts'
import { type PolicyContext, rowOf } from '../policy.ts'
import { nowhere, recorded } from './import-record.ts'
import { placesOfYear, studentsOfSchool } from './imports.queries.ts'
import { pupilTable } from './pupil-rows.ts'
import { planStudents, type SchoolNow, type StudentsPlan } from './students-plan.ts'

type Year = Row<'academic_year'>

/** The year of the classes: the one named, else the active one, if any. */
async function yearOfClasses(context: PolicyContext, named: string | undefined): Promise<Year | null> {
  if (named !== undefined) return rowOf(context, 'academic_year', named)
  const school = context.caller.school_id
  const active = await activeYearOf(context.tx, school)
  return active?.academic_year_id ? rowOf(context, 'academic_year', active.academic_year_id) : null
}

async function schoolNow(tx: ReadTx, schoolId: string, year: Year | null): Promise<SchoolNow> {
  const inYear = { school: schoolId, year: year?.id ?? '' }
  return {
    schoolId,
    students: await studentsOfSchool(tx, { school: schoolId }),
    year,
    classes: year ? await classesOfYear(tx, inYear) : [],
    enrolments: year ? await placesOfYear(tx, inYear) : [],
  }
}

async function write(tx: WriteTx, { created, changed, enrolled }: StudentsPlan) {
  await tx.insert('student', created)
  await tx.update('student', changed)
  const enrolments = enrolled.map(({ studentId, group: { id, school_id, academic_year_id } }) => ({
    school_id,
    student_id: studentId,
    student_group_id: id,
    academic_year_id,
    enrolled_at: tx.now,
  }))
  await tx.insert('enrolment', enrolments)
}

export const importStudents = onUpload(imports.students, {
  prepare: async ({ filename, contentType, bytes }, { documents }, { school_id }) => ({
    filename,
    sheet: await documents.readSheet({ filename, type: contentType, bytes }, [], { school: school_id }),
  }),
  load: (context, { targets }) => yearOfClasses(context, targets['academicYearId']),
  run: async ({ tx, caller }, { query, prepared }, year) => {
    const table = pupilTable(prepared.sheet, query.days)
    // Locks the school, since concurrent imports would create the same pupils twice.
    await tx.find('school', caller.school_id, caller.school_id)
    const plan = planStudents(table, await schoolNow(tx, caller.school_id, year), tx.newId)
    if (!query.dryRun && plan.report.errors === 0) await write(tx, plan)
    return recorded({ tx, caller }, plan.report, { kind: 'students', file: prepared.filename, ...nowhere }, query)
  },
})
