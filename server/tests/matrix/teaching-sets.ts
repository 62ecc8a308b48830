import type { teachingSets } from '@markbook/shared/contract/teaching-sets'
import { hilltopPupil, mei } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { hilltopMaths, hilltopTerm, hilltopYear, maths, michaelmas, thisYear } from '@markbook/shared/story/school-year'
import { hilltopUpper, upper } from './neighbour.ts'
import { ABSENT, type Row, type Rows, setupWrite, staffUse } from './row.ts'

const years = { own: thisYear.id, hilltop: hilltopYear.id }
const sets = { own: upper.id, hilltop: hilltopUpper.id }
const byId = (id: string) => ({ params: { id } })
const newSet = (academicYearId: string) => ({
  body: { academicYearId, subjectId: academicYearId === hilltopYear.id ? hilltopMaths.id : maths.id, name: 'Lower set' },
})
const teachers = (id: string) => ({
  params: { id },
  body: { teacherIds: [id === hilltopUpper.id ? people.markerTeacher.id : people.quinn.id] },
})
const students = (id: string) => ({ params: { id }, body: { studentIds: [id === hilltopUpper.id ? hilltopPupil.id : mei.id] } })

/** Whatever is for those who teach a set: Ada teaches that of St Brigid's. */
export const ofOwnSet = (of: (id: string) => object): Row => ({
  own: [of(upper.id), '          403 ok  403 403 ok  404'],
  hilltop: [of(hilltopUpper.id), '  403 404 404 404 404 ok '],
  absent: [of(ABSENT), '            403 404 404 404 404 404'],
})

export const teachingSetRows: Rows<typeof teachingSets> = {
  list: staffUse((academicYearId) => ({ query: { academicYearId } }), years),
  progress: staffUse((termId) => ({ query: { termId } }), { own: michaelmas.id, hilltop: hilltopTerm.id }),
  create: {
    ...setupWrite(newSet, years),
    hilltopSubject: [{ body: { academicYearId: thisYear.id, subjectId: hilltopMaths.id, name: 'Lower set' } }, '403 403 403 403 404 404'],
    teacherOfHilltop: [{ body: { ...newSet(thisYear.id).body, teacherIds: [people.markerTeacher.id] } }, '403 403 403 403 404 404'],
    pupilOfHilltop: [{ body: { ...newSet(thisYear.id).body, studentIds: [hilltopPupil.id] } }, '403 403 403 403 404 404'],
  },
  get: ofOwnSet(byId),
  update: {
    ...setupWrite((id) => ({ params: { id }, body: { name: 'First set' } }), sets),
    teacherOfHilltop: [
      { params: { id: upper.id }, body: { name: 'First set', teacherIds: [people.markerTeacher.id] } },
      '403 403 403 403 404 404',
    ],
    pupilOfHilltop: [{ params: { id: upper.id }, body: { name: 'First set', studentIds: [hilltopPupil.id] } }, '403 403 403 403 404 404'],
  },
  remove: setupWrite(byId, sets),
  setTeachers: {
    ...setupWrite(teachers, sets),
    ofHilltop: [{ params: { id: upper.id }, body: { teacherIds: [people.markerTeacher.id] } }, '403 403 403 403 404 404'],
  },
  students: ofOwnSet(byId),
  setStudents: {
    ...setupWrite(students, sets),
    ofHilltop: [{ params: { id: upper.id }, body: { studentIds: [hilltopPupil.id] } }, '403 403 403 403 404 404'],
  },
}
