import { naturalId } from '@markbook/shared/ids'
import { writeCsv } from '../../../documents/csv.ts'
import { setupCodeHere } from '../../../features/schools/setup-code.ts'
import type { Services } from '../../../http/services.ts'
import { asSystem, type WriteTx } from '../../../store/tx.ts'
import { type Api, actingAs } from '../../act-as.ts'
import { demandNoSchool } from '../seed.ts'
import { type RealPupil, readRealPupils } from './real-pupils.ts'

/** The administrator of the school with the real marks. */
export const REAL_ADMIN = 'head@realmarks.example'

async function makeHead(tx: WriteTx): Promise<string> {
  await demandNoSchool(tx)
  const id = naturalId('user', REAL_ADMIN)
  const person = { id, email: REAL_ADMIN, first_name: 'Alice', last_name: 'Tavares' }
  await tx.insert('user_profile', { ...person, school_id: null })
  return id
}

/**
 * Opens a school in an empty database and fills it with the real pupils, through the endpoints of this process. `report` gets a line for
 * each step. Throws ConfigError where the database has a school.
 */
export async function seedRealPupils(services: Services, report: (line: string) => void): Promise<void> {
  const userId = await services.store.write(asSystem(), makeHead)
  await actingAs(services, userId, async (api) => {
    const setup = await setupCodeHere(services)
    const body = { name: 'Real Marks Secondary School', schoolType: 'secondary', ...(setup && { setupCode: setup.code }) } as const
    await api.schools.create({ body })
    await loadRealPupils(api, report)
  })
}

export const REAL_YEAR = {
  name: '2025/26',
  startDate: '2025-09-01',
  endDate: '2026-06-30',
  gradingModel: 'year_based',
  yearExamWeight: 37.5,
  yearCourseworkWeight: 62.5,
} as const
export const MAXIMUM = 20
/**
 * The first two period marks are coursework of their terms, and the final mark is the exam of the last. The weight of that one kind is 100.
 */
export const REAL_TERMS = [
  { name: 'michaelmas', startDate: '2025-09-01', endDate: '2025-12-19', title: 'First period', assessmentType: 'coursework' },
  { name: 'hilary', startDate: '2026-01-05', endDate: '2026-03-27', title: 'Second period', assessmentType: 'coursework' },
  { name: 'trinity', startDate: '2026-04-13', endDate: '2026-06-26', title: 'Final exam', assessmentType: 'exam' },
] as const

async function openYear(api: Api) {
  const year = await api.academicYears.create({ body: REAL_YEAR })
  await api.academicYears.activate({ params: { id: year.id } })
  const terms: { id: string; plan: (typeof REAL_TERMS)[number] }[] = []
  for (const plan of REAL_TERMS) {
    const { name, startDate, endDate, assessmentType } = plan
    const examWeight = assessmentType === 'exam' ? 100 : 0
    const dates = { name, startDate, endDate, isMinistryReporting: name === 'trinity' }
    const { id } = await api.terms.create({ body: { academicYearId: year.id, ...dates, examWeight, courseworkWeight: 100 - examWeight } })
    terms.push({ id, plan })
  }
  return { year, terms }
}

/** Imports the pupils with the endpoint that a school would use; returns their ids by student number. */
async function importPupils(api: Api, pupils: readonly RealPupil[]): Promise<ReadonlyMap<string, string>> {
  const head = ['student_number', 'last_name', 'first_name', 'gender', 'date_of_birth', 'enrollment_date', 'class']
  const rows = pupils.map((one) => [one.number, one.lastName, one.firstName, one.gender, one.birthDate, '2025-09-01', one.className])
  const body = new FormData()
  body.set('file', new File([Uint8Array.from(writeCsv({ head, rows }))], 'pupils.csv', { type: 'text/csv' }))
  const { rows: reported, errors } = await api.imports.students({ body })
  const wrong = reported.find(({ action }) => action === 'error')
  if (wrong) throw new Error(`${errors} pupils were refused; row ${wrong.row}: ${wrong.issues[0]?.path} ${wrong.issues[0]?.message}`)
  const students = await api.students.list()
  return new Map(students.map(({ student_number, id }) => [student_number ?? '', id]))
}

/**
 * Fills a school with the 395 real pupils through the endpoints: year, terms, classes, pupils (by import), marks (in bulk), and the report
 * books of every class for every term and for the year.
 */
async function loadRealPupils(api: Api, report: (line: string) => void): Promise<void> {
  const pupils = readRealPupils()
  const { year, terms } = await openYear(api)
  const subject = await api.subjects.create({ body: { name: 'Mathematics', code: 'MATH' } })
  const classIds: string[] = []
  for (const name of new Set(pupils.map(({ className }) => className)))
    classIds.push((await api.classes.create({ body: { name, academicYearId: year.id, subjectIds: [subject.id] } })).id)
  report(`The year ${year.name} with ${terms.length} terms and ${classIds.length} classes is open.`)
  const idByNumber = await importPupils(api, pupils)
  report(`${pupils.length} pupils are enrolled.`)
  for (const [at, { id: termId, plan }] of terms.entries()) {
    const { title, assessmentType, endDate: assessmentDate } = plan
    const { id } = await api.assessments.create({
      body: { termId, subjectId: subject.id, title, assessmentType, assessmentDate, maxScore: MAXIMUM, sortOrder: 1 },
    })
    const grades = pupils.map(({ number, marks }) => ({ studentId: idByNumber.get(number) as string, score: marks[at] as number }))
    await api.grades.bulk({ body: { assessmentId: id, grades } })
    report(`${title}: ${grades.length} marks are recorded.`)
  }
  for (const { id: termId, plan } of terms) {
    for (const studentGroupId of classIds) await api.reports.generate({ body: { studentGroupId, termId, reportType: 'term' } })
    report(`The report books of ${plan.name} are written.`)
  }
  const { id: termId } = terms.at(-1) as { id: string }
  for (const studentGroupId of classIds) await api.reports.generate({ body: { studentGroupId, termId, reportType: 'year_end' } })
  report('The report books of the year are written.')
}
