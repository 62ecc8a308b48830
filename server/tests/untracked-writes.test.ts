import { join } from 'node:path'
import { COMMONS, naturalId } from '@markbook/shared/ids'
import { fatima, mathsExam, oisin, wanderer } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { class3A, class3B, english, irish, maths, michaelmas, thisYear, trinity } from '@markbook/shared/story/school-year'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { textToVersions } from '@markbook/sync/versions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asSystem } from '../store/tx.ts'
import { enrolled } from '../testing/authenticator.ts'
import { type School, school } from '../testing/school.ts'
import { programFiles, untrackedWrites } from './untracked-writes.source.ts'

const names = Object.keys(descriptions) as Replicated[]

describe('the source', () => {
  test('writes replicated tables through the change tracker alone', () => {
    const files = programFiles(join(import.meta.dirname, '..'))
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['features/grades/grades.policy.ts', 'cli/seed/seed.ts']))
    expect(files.flatMap(({ name, source }) => untrackedWrites(source).map((found) => `${name}: ${found}`))).toEqual([])
  })

  test.each([
    'await tx.local.insert(tx.t.grade).values(row)',
    'await tx.local.insert(tx.t.sync_conflict).values(row)',
    'await tx.dialect.deleteRows(tx.connection, table, null, ids)',
    'await tx.local\n  .update(t.report_book)\n  .set({})',
    'const { local } = tx\nlocal.delete(tx.t.sync_row)',
    'tx.db.delete(anything)',
    "tx.connection.run('drop table grade', [])",
    'sql`update grading.grade set score = 1`',
    'sql`INSERT INTO student VALUES (1)`',
    "import Database from 'better-sqlite3'",
    'const door = tx.local',
  ])('a way past it is found: %s', (source) => {
    expect(untrackedWrites(source)).not.toEqual([])
  })

  test.each([
    "tx.insert('grade', rows)",
    'tx.local.insert(tx.t.session).values(row)',
    'tx.local.update(tx.t.sync_peer).set(set)',
    'await tx.dialect.feedOf(tx.connection, school)',
    'hash.update(text)',
    'known.delete(grade.id)',
  ])('what goes through it, or writes no table, is not: %s', (source) => {
    expect(untrackedWrites(source)).toEqual([])
  })
})

let st: School
beforeAll(async () => {
  st = await school()
  await liveThrough(st)
})
afterAll(() => st.close())

/** A busy week: every kind of row made, changed and deleted through the interface. */
async function liveThrough({ as: { okafor, byrne, ada, quinn, tomas }, clock }: School) {
  const year = await okafor.academicYears.create({
    body: {
      name: '2026/27',
      startDate: '2026-09-01',
      endDate: '2027-06-30',
      gradingModel: 'term_based',
      terms: [{ name: 'michaelmas', startDate: '2026-09-01', endDate: '2026-12-18', examWeight: 60, courseworkWeight: 40 }],
      isActive: true,
    },
  })
  const term = await okafor.terms.create({
    body: { academicYearId: year.id, name: 'hilary', startDate: '2027-01-07', endDate: '2027-03-28', examWeight: 60, courseworkWeight: 40 },
  })
  await okafor.terms.update({ params: { id: term.id }, body: { examWeight: 50, courseworkWeight: 50, isMinistryReporting: true } })
  await okafor.academicYears.activate({ params: { id: year.id } })
  await okafor.academicYears.activate({ params: { id: thisYear.id } })
  await okafor.academicYears.rollOver({ params: { id: year.id }, body: { classes: [{ fromClassId: class3B.id, name: '4B' }] } })
  await okafor.terms.removeBulk({ body: { termIds: [term.id] } })

  const art = await okafor.subjects.create({ body: { name: 'Art', code: 'AR' } })
  await okafor.subjects.update({ params: { id: art.id }, body: { name: 'Art and craft' } })
  const music = await okafor.subjects.create({ body: { name: 'Music', code: 'MU' } })
  const subjects = await okafor.subjects.list()
  await okafor.subjects.reorder({ body: { subjectIds: subjects.map(({ id }) => id).reverse() } })
  const ofYear = { academicYearId: thisYear.id, assessmentType: 'exam', name: 'Mocks', weight: 20 } as const
  const category = await okafor.assessmentCategories.create({ body: ofYear })
  await okafor.assessmentCategories.update({ params: category, body: { weight: 30 } })
  await okafor.assessmentCategories.remove({ params: category })
  await okafor.gradingScale.put({ body: { passMark: 40, bands: [{ letter: 'P', minimum: 0, remark: 'Pass' }] } })
  await okafor.gradingScale.put({ body: { passMark: 45, bands: [{ letter: 'P', minimum: 0, remark: 'Pass' }] } })

  const pupil = await byrne.students.create({ body: { firstName: 'Nuala', lastName: 'Byrne', gender: 'female' } })
  await byrne.students.update({ params: { id: pupil.id }, body: { lastName: 'Ní Bhroin' } })
  await okafor.students.remove({ params: { id: wanderer.id } })
  const group = await byrne.classes.create({ body: { name: '3C', academicYearId: thisYear.id, subjectIds: [art.id] } })
  const inGroup = { params: { classId: group.id } }
  await byrne.classes.update({ ...inGroup, body: { name: '3D' } })
  await byrne.classes.addTeacher({ ...inGroup, body: { teacherId: people.ada.id, subjectIds: [maths.id, music.id] } })
  await byrne.classes.addTeacher({ ...inGroup, body: { teacherId: people.ada.id, subjectIds: [maths.id] } })
  await byrne.classes.addTeacher({ ...inGroup, body: { teacherId: people.quinn.id, subjectIds: [irish.id] } })
  await byrne.classes.enroll({ params: { id: group.id }, body: { studentId: pupil.id } })
  await byrne.classes.assignSubjects({ params: { id: group.id }, body: { studentId: pupil.id, subjectIds: [maths.id, art.id] } })
  await byrne.classes.removeStudentSubject({ params: { id: group.id, sid: pupil.id, subjectId: art.id } })
  await byrne.classes.removeTeacher({ params: { classId: group.id, teacherId: people.quinn.id } })
  await quinn.classes.unenroll({ params: { id: class3A.id, studentId: fatima.id } })
  await quinn.classes.enroll({ params: { id: class3A.id }, body: { studentId: fatima.id } })
  await okafor.subjects.remove({ params: { id: music.id } })

  const own = await byrne.assessments.create({
    body: { termId: trinity.id, subjectId: art.id, title: 'Mural', assessmentType: 'coursework', studentGroupId: group.id },
  })
  clock.advance(1_000)
  await byrne.assessments.update({ params: { id: own.id }, body: { maxScore: 50, weight: 2 } })
  await byrne.assessments.exclude({ params: { id: own.id }, body: { isExcluded: true, exclusionReason: 'paint' } })
  const grade = await byrne.grades.create({ body: { assessmentId: own.id, studentId: pupil.id, score: 40 } })
  await byrne.grades.exclude({ params: { id: grade.id }, body: { isExcluded: true } })
  await ada.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: pupil.id, score: 55 }] } })
  await ada.grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: pupil.id, score: 56, remarks: 'Up.' }] } })
  const [change] = await ada.history.list({ query: { entity: 'grade', id: naturalId('grade', mathsExam.id, pupil.id) } })
  await ada.history.undo({ params: { id: change?.id ?? '' } })
  const absence = (code: 'absent' | 'present') => ({ body: { day: '2025-11-14', lesson: 0, marks: [{ studentId: pupil.id, code }] } })
  await byrne.attendance.take({ params: { classId: group.id }, ...absence('absent') })
  await byrne.attendance.take({ params: { classId: group.id }, ...absence('present') })
  const set = await okafor.teachingSets.create({ body: { academicYearId: thisYear.id, subjectId: maths.id, name: 'Upper set' } })
  await okafor.teachingSets.setTeachers({ params: set, body: { teacherIds: [people.quinn.id] } })
  await okafor.teachingSets.setStudents({ params: set, body: { studentIds: [pupil.id] } })
  await okafor.teachingSets.setStudents({ params: set, body: { studentIds: [] } })
  const made = await quinn.grades.create({ body: { assessmentId: own.id, studentId: oisin.id, score: 1 } }).catch(() => null)
  expect(made).toBeNull()

  const { reports } = await byrne.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
  const draft = reports.find(({ status }) => status === 'draft')?.id ?? ''
  await byrne.reports.update({ params: { id: draft }, body: { conduct: 'Good', attendancePercentage: 97.5 } })
  const { entries } = await byrne.reports.get({ params: { id: draft } })
  await byrne.reports.updateEntry({
    params: { entryId: entries.find(({ subject_id }) => subject_id === english.id)?.id ?? '' },
    body: { letterGrade: 'A' },
  })
  await byrne.reports.publish({ params: { id: draft } })
  await byrne.reports.generate({ body: { studentGroupId: group.id, termId: trinity.id, reportType: 'term' } })

  const [request] = await okafor.schools.joinRequests()
  await okafor.schools.approve({ params: { requestId: request?.id ?? '' }, body: { role: 'teacher' } })
  await tomas.auth.updateProfile({ body: { firstName: 'Tom' } })
  await okafor.schools.updateMine({ body: { phone: '045 123 456' } })
  await okafor.schools.updateMember({ params: { userId: people.tomas.id }, body: { role: 'member' } })
  await enrolled(byrne, clock)
  await byrne.outage.newRecoveryCodes()
  await byrne.outage.newRecoveryCodes()
  await enrolled(ada, clock)
  await ada.outage.removeTotp()
  await byrne.classes.handOver({ params: { classId: group.id }, body: { teacherId: people.ada.id } })
  await okafor.classes.remove({ params: { classId: group.id } })
  await okafor.schools.removeMember({ params: { userId: people.tomas.id } })
}

const sync = () =>
  st.services.store.read(asSystem(), async (tx) => ({
    rows: (await tx.db.select().from(tx.t.sync_row)).map((row) => ({
      ...row,
      vv: JSON.parse(row.vv) as Record<string, number>,
      units: textToVersions(row).units,
    })),
    feeds: await tx.db.select().from(tx.t.sync_feed),
    history: await tx.db.select().from(tx.t.history),
  }))

const keyOf = (table: Replicated, row: { id: string; school_id?: string | null }) => {
  const { scope } = descriptions[table]
  return scope === 'commons' ? `${COMMONS}:${row.id}` : `${scope === 'self' ? row.id : row.school_id}:${row.id}`
}

describe('after every kind of write', () => {
  test('each table has had rows that were written', async () => {
    const { rows } = await sync()
    const absent = names.filter((name) => !rows.some(({ table_name }) => table_name === name))
    // Files have tests of their own; conflicts are made where two nodes meet.
    expect(absent.filter((name) => !['report_book_pdf', 'class_report_file', 'sync_conflict'].includes(name))).toEqual([])
  })

  test.each(names)('every row of %s has one sync_row, whose units are the table’s and the row’s own', async (name) => {
    const { rows } = await sync()
    const live = rows.filter(({ table_name, deleted }) => table_name === name && !deleted)
    const stored = (await st.rows(name)) as { id: string; school_id?: string | null }[]
    expect(live.map(({ school_id, row_id }) => `${school_id}:${row_id}`).sort()).toEqual(stored.map((row) => keyOf(name, row)).sort())
    const units = ['row', ...Object.keys(descriptions[name].units)].sort()
    for (const row of live) expect(Object.keys(row.units).sort()).toEqual(units)
  })

  test('every tombstone has no row, and there are some', async () => {
    const { rows } = await sync()
    const tombstones = rows.filter(({ deleted }) => deleted)
    const kinds = new Set(tombstones.map(({ table_name }) => table_name))
    for (const kind of [
      'student',
      'student_group',
      'assessment',
      'grade',
      'term',
      'subject',
      'enrolment',
      'class_teacher',
      'school_management',
      'user_totp',
    ])
      expect(kinds).toContain(kind)
    for (const name of kinds as Set<Replicated>) {
      const ids = new Set((await st.rows(name)).map((row) => keyOf(name, row as never)))
      const revived = tombstones.filter(({ table_name, school_id, row_id }) => table_name === name && ids.has(`${school_id}:${row_id}`))
      expect(revived).toEqual([])
    }
  })

  test('every dot is a counter of this node up to the feed’s, and the row’s vector knows it', async () => {
    const { rows, feeds } = await sync()
    const { nodeId } = st.services.store
    const lastOf = new Map(feeds.map(({ school_id, seq }) => [school_id, seq]))
    for (const { school_id, seq, vv, units } of rows) {
      const dots = Object.values(units)
      expect(dots.every(([node]) => node === nodeId)).toBe(true)
      expect(vv).toEqual({ [nodeId]: seq })
      expect(Math.max(...dots.map(([, counter]) => counter))).toBe(seq)
      expect(seq).toBeLessThanOrEqual(lastOf.get(school_id) ?? 0)
    }
  })

  test('every row’s last history entry says whether it is there', async () => {
    const { rows, history } = await sync()
    const last = new Map<string, { seq: number; action: string }>()
    for (const { school_id, entity, row_id, seq, action } of history) {
      const key = `${school_id}:${entity}:${row_id}`
      if ((last.get(key)?.seq ?? -1) < seq) last.set(key, { seq, action })
    }
    expect(last.size).toBe(rows.length)
    for (const { school_id, table_name, row_id, deleted, seq } of rows)
      expect(last.get(`${school_id}:${table_name}:${row_id}`)).toEqual({
        seq,
        action: deleted ? 'delete' : expect.stringMatching(/create|update/),
      })
  })
})
