import type { academicYears } from '@markbook/shared/contract/academic-years'
import type { assessmentCategories } from '@markbook/shared/contract/assessment-categories'
import type { gradingScale } from '@markbook/shared/contract/grading-scale'
import type { students } from '@markbook/shared/contract/students'
import type { subjects } from '@markbook/shared/contract/subjects'
import type { terms } from '@markbook/shared/contract/terms'
import { hilltopPupil, oisin, wanderer } from '@markbook/shared/story/marks'
import {
  class3A,
  class3B,
  english,
  hilltopClass,
  hilltopMaths,
  hilltopTerm,
  hilltopYear,
  irish,
  lastMichaelmas,
  lastYear,
  lastYears2B,
  maths,
  michaelmas,
  science,
  thisYear,
} from '@markbook/shared/story/school-year'
import { art, hilltopArt, hilltopQuizzes, quizzes } from './neighbour.ts'
import { ABSENT, everybody, onlyAdmins, onlyStaff, type Rows, setupRead, setupWrite, staffUse } from './row.ts'

const byId = (id: string) => ({ params: { id } })
const changed = (body: unknown) => (id: string) => ({ params: { id }, body })
const years = { own: thisYear.id, hilltop: hilltopYear.id }
const weights = { examWeight: 60, courseworkWeight: 40 }
const newYear = {
  name: '2026/27',
  startDate: '2026-09-01',
  endDate: '2027-06-30',
  gradingModel: 'term_based',
  terms: [{ name: 'hilary', startDate: '2027-01-07', endDate: '2027-03-28', ...weights }],
}
const rollOver = (id: string, fromClassId: string) => ({
  params: { id },
  body: {
    classes: [{ fromClassId, name: '3 Beta' }],
    terms: [{ name: 'Revision', startDate: '2026-06-01', endDate: '2026-06-12', ...weights }],
  },
})

export const yearRows: Rows<typeof academicYears> = {
  list: { own: [{}, everybody] },
  active: { own: [{}, everybody] },
  get: setupRead(byId, years),
  create: { own: [{ body: newYear }, onlyAdmins] },
  update: setupWrite(changed({ name: 'The year' }), years),
  activate: setupWrite(byId, { ...years, own: lastYear.id }),
  deactivate: setupWrite(byId, years),
  remove: {
    ...setupWrite(byId, { ...years, own: lastYear.id }),
    hilltop: [byId(hilltopYear.id), '403 403 403 403 404                      409:academic_years.is_active'],
    active: [byId(thisYear.id), '    403 403 403 403 409:academic_years.is_active 404'],
  },
  rollOver: {
    own: [rollOver(thisYear.id, lastYears2B.id), '   403 403 403 403 ok  404'],
    absent: [rollOver(ABSENT, lastYears2B.id), '     403 403 403 403 404 404'],
    hilltop: [rollOver(hilltopYear.id, hilltopClass.id), '403 403 403 403 404 409:academic_years.roll_over_issues'],
    hilltopClass: [rollOver(thisYear.id, hilltopClass.id), '403 403 403 403 404 404'],
    hilltopCategories: [
      { params: { id: thisYear.id }, body: { classes: [], categoriesFromYearId: hilltopYear.id, scaleFromYearId: hilltopYear.id } },
      '403 403 403 403 404 404',
    ],
    hilltopSets: [{ params: { id: thisYear.id }, body: { classes: [], setsFromYearId: hilltopYear.id } }, '403 403 403 403 404 404'],
  },
}

const newTerm = (academicYearId: string, start: number) => ({
  body: {
    academicYearId,
    name: 'hilary',
    startDate: `${start}-01-07`,
    endDate: `${start}-03-28`,
    examWeight: 60,
    courseworkWeight: 40,
  },
})
const termIds = { own: lastMichaelmas.id, hilltop: hilltopTerm.id }
const moved = (id: string, academicYearId: string) => ({ params: { id }, body: { academicYearId } })

const severalTerms = (...termIds: string[]) => ({ body: { termIds } })

export const termRows: Rows<typeof terms> = {
  list: setupRead((yearId) => ({ query: { yearId } }), years),
  get: setupRead(byId, termIds),
  create: setupWrite((id) => newTerm(id, id === lastYear.id ? 2025 : 2026), { ...years, own: lastYear.id }),
  update: {
    ...setupWrite(changed({ examWeight: 30, courseworkWeight: 70 }), termIds),
    intoHilltop: [moved(lastMichaelmas.id, hilltopYear.id), ' 403 403 403 403 404 404'],
    outOfHilltop: [moved(hilltopTerm.id, thisYear.id), '     403 403 403 403 404 404'],
  },
  removeBulk: {
    own: [severalTerms(lastMichaelmas.id), '       403 403 403 403 ok  404'],
    mixed: [severalTerms(lastMichaelmas.id, hilltopTerm.id), '403 403 403 403 404 404'],
    inUse: [severalTerms(lastMichaelmas.id, michaelmas.id), ' 403 403 403 403 409:terms.in_use 404'],
  },
  remove: {
    ...setupWrite(byId, termIds),
    hilltop: [byId(hilltopTerm.id), '403 403 403 403 404            409:terms.in_use'],
    inUse: [byId(michaelmas.id), '   403 403 403 403 409:terms.in_use 404'],
  },
}

const subjectIds = { own: maths.id, hilltop: hilltopMaths.id }
const order = [art, science, irish, english, maths].map(({ id }) => id)

export const subjectRows: Rows<typeof subjects> = {
  list: { own: [{}, everybody] },
  create: { own: [{ body: { name: 'Music', code: 'MU' } }, onlyAdmins] },
  reorder: {
    own: [{ body: { subjectIds: order } }, '                                   403 403 403 403 ok  400:subjects.incomplete_order'],
    hilltop: [{ body: { subjectIds: [hilltopMaths.id, hilltopArt.id] } }, '403 403 403 403 400 ok'],
    withHilltop: [{ body: { subjectIds: [...order, hilltopMaths.id] } }, ' 403 403 403 403 400 400'],
  },
  get: setupRead(byId, subjectIds),
  classes: {
    ...staffUse((id) => ({ ...byId(id), query: { termId: id === hilltopMaths.id ? hilltopTerm.id : michaelmas.id } }), subjectIds),
    ofHilltopTerm: [{ ...byId(maths.id), query: { termId: hilltopTerm.id } }, '403 404 404 404 404 404'],
  },
  update: setupWrite(changed({ name: 'Sums' }), subjectIds),
  remove: {
    ...setupWrite(byId, { own: art.id, hilltop: hilltopArt.id }),
    inUse: [byId(maths.id), '403 403 403 403 409:subjects.in_use 404'],
  },
}

const categoryIds = { own: quizzes.id, hilltop: hilltopQuizzes.id }
const newCategory = (academicYearId: string) => ({ body: { academicYearId, assessmentType: 'exam', name: 'Mocks', weight: 30 } })

export const categoryRows: Rows<typeof assessmentCategories> = {
  list: setupRead((academicYearId) => ({ query: { academicYearId } }), years),
  create: {
    ...setupWrite(newCategory, years),
    hilltopSubject: [{ body: { ...newCategory(thisYear.id).body, subjectId: hilltopMaths.id } }, '403 403 403 403 404 404'],
  },
  update: setupWrite(changed({ weight: 20 }), categoryIds),
  remove: setupWrite(byId, categoryIds),
}

const scale = {
  passMark: 40,
  bands: [
    { letter: 'P', minimum: 40, remark: 'Pass' },
    { letter: 'F', minimum: 0, remark: 'Fail' },
  ],
}
export const gradingScaleRows: Rows<typeof gradingScale> = {
  get: { own: [{}, everybody] },
  put: { own: [{ body: scale }, onlyAdmins] },
}

const studentIds = { own: wanderer.id, hilltop: hilltopPupil.id }
const ofClass = (classId: string) => ({ query: { classId } })
export const studentRows: Rows<typeof students> = {
  list: {
    own: [{}, onlyStaff],
    ofClass: [ofClass(class3B.id), '           403 ok  ok  403 ok  404'],
    ofOtherClass: [ofClass(class3A.id), '      403 403 403 ok  ok  404'],
    ofHilltopClass: [ofClass(hilltopClass.id), '403 404 404 404 404 ok'],
    ofAbsentClass: [ofClass(ABSENT), '         403 404 404 404 404 404'],
    found: [{ query: { search: 'hilltop' } }, onlyStaff],
  },
  create: { own: [{ body: { firstName: 'Nóra', lastName: 'Daly', gender: 'female' } }, onlyStaff] },
  importTemplate: { own: [{}, onlyAdmins] },
  get: staffUse(byId, studentIds),
  update: staffUse(changed({ firstName: 'Rob' }), studentIds),
  remove: {
    ...setupWrite(byId, studentIds),
    hilltop: [byId(hilltopPupil.id), '403 403 403 403 404                      409:students.has_results'],
    withMarks: [byId(oisin.id), '    403 403 403 403 409:students.has_results 404'],
  },
}
