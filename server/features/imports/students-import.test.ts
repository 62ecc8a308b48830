import { limits } from '@markbook/shared/limits'
import { aoife, elan, fatima, mei, sean, wanderer } from '@markbook/shared/story/marks'
import { class3A, class3B, hilltopYear, lastYear, lastYears2B, thisYear } from '@markbook/shared/story/school-year'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeWorkbook } from '../../documents/workbook.ts'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { csv, file, issuesOf, xlsx } from './sheets.fixtures.ts'

let st: School
beforeEach(async () => {
  st = await school()
})
afterEach(() => st.close())

const HEAD = 'first_name,last_name,gender,date_of_birth,enrollment_date,student_number,class'
const real = (...lines: string[]) => st.as.okafor.imports.students({ body: csv(HEAD, ...lines) })
const dry = (...lines: string[]) => st.as.okafor.imports.students({ query: { dryRun: 'true' }, body: csv(HEAD, ...lines) })
const student = async (number: string) => (await st.rows('student')).find(({ student_number }) => student_number === number)
const placeOf = async (id: string | undefined) => (await st.rows('enrolment')).find(({ student_id }) => student_id === id)

const NEW = 'Chloé,Nic an tSaoir,F,2011-11-30,2025-09-01,SB-100,3B'

describe('POST /api/students/import', () => {
  test('creates a student and enrols them in a class of the active year', async () => {
    expect(await real(NEW)).toEqual({
      id: expect.any(String),
      rows: [{ row: 2, action: 'create', issues: [] }],
      created: 1,
      updated: 0,
      unchanged: 0,
      errors: 0,
    })
    const created = await student('SB-100')
    const fields = { first_name: 'Chloé', gender: 'female', date_of_birth: '2011-11-30', enrollment_date: '2025-09-01', is_active: true }
    expect(created).toMatchObject({ ...fields, last_name: 'Nic an tSaoir' })
    expect(await placeOf(created?.id)).toMatchObject({ student_group_id: class3B.id, academic_year_id: thisYear.id })
  })

  test('a dry run reports every row and changes nothing', async () => {
    const before = await st.digest()
    const report = await dry(NEW, 'Élan,Ó Briain,m,2011-03-04,2023-09-01,SB-001,3B', 'Seán,Murphy,male,2011-01-31,,SB-003,', 'X,,,,,,')
    expect(report.rows.map(({ action }) => action)).toEqual(['create', 'unchanged', 'update', 'error'])
    expect(report).toMatchObject({ created: 1, updated: 1, unchanged: 1, errors: 1 })
    expect(await st.digest()).toBe(before)
  })

  test('a real run with an error answers the report too, and changes nothing', async () => {
    const before = await st.digest()
    expect(await real(NEW, 'Bad,Row,unknown,,,,')).toMatchObject({ created: 1, errors: 1, rows: [{ row: 2 }, { row: 3, action: 'error' }] })
    expect(await st.digest()).toBe(before)
  })

  test('the same file again changes nothing', async () => {
    const lines = [NEW, 'Noor,Aziz,o,,,,3A', 'Élan,Ó Briain,male,2011-03-04,2023-09-01,SB-001,3B']
    expect(await real(...lines)).toMatchObject({ created: 2, unchanged: 1 })
    const before = await st.digest()
    expect(await real(...lines)).toMatchObject({ created: 0, updated: 0, unchanged: 3 })
    expect(await st.digest()).toBe(before)
  })

  test('an update writes the differences; empty cells and absent columns change nothing', async () => {
    const body = csv('student_number,last_name,gender,enrollment_date', 'SB-004,Murphy-Daly,,2023-09-01')
    expect(await st.as.okafor.imports.students({ body })).toMatchObject({ updated: 1, errors: 0 })
    const { last_name: _, ...others } = aoife
    expect(await student('SB-004')).toMatchObject({ ...others, last_name: 'Murphy-Daly' })
    const history = await st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
    const changes = history.filter(({ row_id, action }) => row_id === aoife.id && action === 'update').map((entry) => entry.changes)
    expect(changes).toEqual([{ last_name: { before: 'Murphy', after: 'Murphy-Daly' } }])
  })

  test('a number with both names different is noted and accepted; one different name is usual', async () => {
    const body = csv('student_number,last_name,first_name', 'SB-004,Lynch,Ben', 'SB-003,Murphy-Daly,Sean')
    const report = await st.as.okafor.imports.students({ body, query: { dryRun: 'true' } })
    expect(report).toMatchObject({ updated: 2, errors: 0 })
    expect(issuesOf(report)).toEqual(['student_number: is the number of Murphy, Aoife, who gets this name'])
    expect(await student('SB-004')).toMatchObject(aoife)
    await st.as.okafor.imports.students({ body })
    expect(await student('SB-004')).toMatchObject({ id: aoife.id, last_name: 'Lynch' })
  })

  test('a student without the number is matched by names and birth date, case and accents aside', async () => {
    expect(await real('elan,ó briain,male,2011-03-04,2023-09-02,,')).toMatchObject({ updated: 1 })
    expect(await student('SB-001')).toMatchObject({ id: elan.id, enrollment_date: '2023-09-02' })
  })

  test('no pupil is guessed: unknown birth date, another number, two of the same name', async () => {
    await real('Robin,Byrne,other,2011-05-05,,T-1,', 'Robin,Byrne,other,,,T-2,')
    const report = await dry('Mei,Chen,other,2011-01-01,,,', 'Seán,Murphy,male,2011-01-30,,SB-333,', 'Robin,Byrne,other,,,,')
    const missing = 'date_of_birth: a student has this name, but a birth date is missing here or there; give the student number'
    const number = 'student_number: the student of this name and birth date has the number SB-003'
    expect(issuesOf(report)).toEqual([missing, number, missing])
  })

  test('of two students with one name and birth date none is guessed', async () => {
    for (const studentNumber of ['T-1', 'T-2'])
      await st.as.okafor.students.create({
        body: { firstName: 'Robin', lastName: 'Byrne', gender: 'other', dateOfBirth: '2011-05-05', studentNumber },
      })
    const report = await dry('Robin,Byrne,other,2011-05-05,,,')
    expect(issuesOf(report)).toEqual(['last_name: two students have this name and birth date; give the student number'])
  })

  test('a pupil who is known by the name alone is noted, and one whom an earlier row means is refused', async () => {
    await st.as.okafor.students.create({ body: { firstName: 'Nuala', lastName: 'Byrne', gender: 'female' } })
    const report = await dry('Nuala,Byrne,female,,,,', 'Kit,Byrne,other,,,,', 'Kit,Byrne,other,,,,', 'Kit,Byrne,other,,,T-9,')
    expect(report.rows.map(({ action, issues }) => [action, issues.map(({ path, code, values }) => [path, code, values])])).toEqual([
      ['unchanged', [['last_name', 'by_name', {}]]],
      ['create', []],
      ['error', [['last_name', 'same_name', { row: 3 }]]],
      ['error', [['last_name', 'same_name', { row: 3 }]]],
    ])
    const apart = await dry(
      'Kit,Byrne,other,2011-01-01,,,',
      'Kit,Byrne,other,2012-01-01,,,',
      'Pat,Byrne,other,,,T-8,',
      'Pat,Byrne,other,,,T-9,',
    )
    expect(apart).toMatchObject({ created: 4, errors: 0 })
  })

  test('of two classes whose names differ in case alone none is guessed; the exact name is found', async () => {
    for (const name of ['Éire', 'ÉIRE']) await st.as.okafor.classes.create({ body: { name, academicYearId: thisYear.id } })
    expect(issuesOf(await dry('A,B,other,,,T-1,éire', 'A,C,other,,,T-2,ÉIRE'))).toEqual([
      `class: “éire” is not the name of a class in ${thisYear.name}`,
    ])
  })

  test('the name of a file is noted without hidden characters and no longer than a name', async () => {
    const body = file(`${HEAD}\r\n${NEW}`, `\u200b${'a'.repeat(250)}.csv`, 'text/csv')
    await st.as.okafor.imports.students({ body })
    expect((await st.as.okafor.imports.list()).map((each) => each.file)).toEqual(['a'.repeat(limits.text.name)])
  })

  test('a student of another birth date or with another number is another student', async () => {
    expect(await real('Seán,Murphy,male,2010-06-06,,,3B', 'Mei,Chen,female,,,SB-200,3B')).toMatchObject({ created: 2 })
    expect((await st.rows('student')).filter(({ last_name }) => last_name === 'Chen')).toHaveLength(2)
    expect(mei.student_number).not.toBe('SB-200')
  })

  test('a student twice in the file is an error on the later row', async () => {
    const twice = await dry(NEW, NEW, 'Élan,Ó Briain,,2011-03-04,,,', ',,,,,SB-001,')
    expect(twice.rows.map(({ row, action }) => [row, action])).toEqual([
      [2, 'create'],
      [3, 'error'],
      [4, 'unchanged'],
      [5, 'error'],
    ])
    expect(issuesOf(twice)).toEqual(['student_number: is the student of row 2 again', 'student_number: is the student of row 4 again'])
  })

  test('who is not enrolled this year is enrolled; who is in another class stays, and the row says where', async () => {
    expect(await real(`Robin,Gallagher,other,,,SB-009,3a`)).toMatchObject({ updated: 1 })
    expect(await placeOf(wanderer.id)).toMatchObject({ student_group_id: class3A.id })
    const report = await real(',,,,,SB-008,3B')
    expect(issuesOf(report)).toEqual(['class: cannot change here: the student is in class 3A in that year'])
    expect(await placeOf(fatima.id)).toMatchObject({ student_group_id: class3A.id })
  })

  test('classes of another year by academicYearId', async () => {
    const body = csv('student_number,class', 'SB-003,2B', 'SB-001,3B')
    const report = await st.as.okafor.imports.students({ query: { academicYearId: lastYear.id }, body })
    expect(issuesOf(report)).toEqual(['class: “3B” is not the name of a class in 2024/25'])
    const again = await st.as.okafor.imports.students({
      query: { academicYearId: lastYear.id },
      body: csv('student_number,class', 'SB-003,2B'),
    })
    expect(again).toMatchObject({ updated: 1 })
    expect((await st.rows('enrolment')).filter(({ student_id }) => student_id === sean.id)).toHaveLength(2)
    expect((await st.rows('enrolment')).some(({ student_group_id }) => student_group_id === lastYears2B.id)).toBe(true)
  })

  test('every wrong cell is named', async () => {
    const report = await dry(
      `${'x'.repeat(201)},Y,man,31/02/2011,tomorrow,${'9'.repeat(41)},3Z`,
      'Ann,Other,,,,,',
      ',Solo,f,,,,',
      ',,,,,NEW-1,3Z',
    )
    expect(report.rows.map(({ issues }) => issues.map(({ path }) => path))).toEqual([
      ['first_name', 'student_number', 'gender', 'date_of_birth', 'enrollment_date', 'class'],
      ['gender'],
      ['first_name'],
      ['first_name', 'last_name', 'gender', 'class'],
    ])
    expect(report.rows[0]?.issues).toMatchObject([
      { code: 'too_long', values: { max: 200 }, message: 'must have at most 200 characters' },
      { code: 'too_long', values: { max: 40 } },
      { code: 'gender', message: 'must be male, female or other (or m, f, o), and not “man”' },
      { code: 'no_such_day', message: '“31/02/2011” is not a day of the calendar' },
      { code: 'day_form', values: { text: 'tomorrow' } },
      { code: 'no_class', values: { name: '3Z', year: '2025/26' } },
    ])
  })

  test('an unknown column is named at the heading, which is not counted as a row', async () => {
    const report = await st.as.okafor.imports.students({ body: csv('Student Number,Hair', 'SB-001,red') })
    expect(report).toEqual({
      id: null,
      rows: [
        {
          row: 1,
          action: 'unchanged',
          issues: [{ path: 'Hair', message: 'is not a column of this import and was not read', code: 'not_read', values: {} }],
        },
        { row: 2, action: 'unchanged', issues: [] },
      ],
      created: 0,
      updated: 0,
      unchanged: 1,
      errors: 0,
    })
  })

  test('a workbook with real dates and numbers', async () => {
    const columns = HEAD.split(',').map((key) => ({
      head: key,
      key,
      width: 10,
      kind: key.includes('date') ? ('day' as const) : ('text' as const),
    }))
    const cells = { first_name: '=Ann', last_name: 'Wu', gender: 'Female', date_of_birth: '2012-02-29', student_number: '007', class: '3A' }
    const bytes = await writeWorkbook({ sheets: [{ name: 'x', columns, rows: [{ cells }], frozenColumns: 0 }], madeAt: 0 })
    expect(await st.as.okafor.imports.students({ body: xlsx(bytes) })).toMatchObject({ created: 1 })
    expect(await student('007')).toMatchObject({ first_name: '=Ann', date_of_birth: '2012-02-29' })
  })

  test('two equal imports at once make each student once', async () => {
    const lines = ['Noor,Aziz,o,2011-01-01,,,3A', 'Ben,Aziz,m,,,,']
    const reports = await Promise.all([real(...lines), real(...lines), real(...lines)])
    expect(reports.map(({ created }) => created).sort()).toEqual([0, 0, 2])
    expect((await st.rows('student')).filter(({ last_name }) => last_name === 'Aziz')).toHaveLength(2)
  })

  test('`days` decides only what the file leaves ambiguous', async () => {
    const list = (...days: string[]) =>
      csv('last_name,first_name,gender,date_of_birth', ...days.map((day, at) => `Nobody${at},Known,female,${day}`))
    const import_ = (days: 'day_first' | 'month_first' | 'numbers' | undefined, ...texts: string[]) =>
      st.as.okafor.imports.students({ query: { ...(days && { days }) }, body: list(...texts) })
    expect(issuesOf(await import_(undefined, '03/04/2011', '40627'))).toHaveLength(2)
    expect(await import_('day_first', '03/04/2011')).toMatchObject({ created: 1 })
    expect((await st.rows('student')).find(({ last_name }) => last_name === 'Nobody0')?.date_of_birth).toBe('2011-04-03')
    expect(await import_('month_first', '04/03/2011', '2011-12-31')).toMatchObject({ unchanged: 1, created: 1 })
    expect(await import_('numbers', '40636', '40908')).toMatchObject({ unchanged: 2 })
    expect(issuesOf(await import_('day_first', '03/04/2011', '03/25/2011'))).toHaveLength(1)
  })

  test('400 where no column identifies pupils, or one is repeated', async () => {
    const refused = (body: FormData) => st.as.okafor.imports.students({ body })
    await expect(refused(csv('last_name,class', 'Murphy,3B'))).rejects.toMatchObject({ status: 400, code: 'imports.missing_columns' })
    await expect(refused(csv('student_number,Student-Number', '1,2'))).rejects.toMatchObject({
      status: 400,
      code: 'imports.duplicate_column',
    })
    await expect(refused(file('{}', 'x.pdf', 'application/pdf'))).rejects.toMatchObject({ status: 415, code: 'imports.wrong_type' })
    await expect(refused(file('', 'x.csv', 'text/csv'))).rejects.toMatchObject({ status: 400, code: 'imports.unreadable' })
  })

  test('413 for more rows than one import takes', async () => {
    const lines = Array.from({ length: limits.importRows + 1 }, (_, at) => `N-${at}`)
    await expect(st.as.okafor.imports.students({ body: csv('student_number', ...lines) })).rejects.toMatchObject({
      status: 413,
      code: 'imports.too_large',
    })
  })

  test('a whole school at once, and undone at once', async () => {
    const lines = Array.from({ length: limits.importRows }, (_, at) => `First${at},Last,o,,,N-${at},${at % 2 ? '3A' : '3B'}`)
    const { id, ...report } = await real(...lines)
    expect(report).toMatchObject({ created: limits.importRows, errors: 0 })
    expect(await st.rows('enrolment')).toHaveLength(9 + limits.importRows)
    const taken = await st.as.okafor.imports.undo({ params: { id: id as string } })
    expect(taken).toEqual({ removed: limits.importRows, restored: 0, kept: 0, rows: [] })
    expect(await st.rows('enrolment')).toHaveLength(9)
  })

  test('only for an administrator of the school, and access comes before the file', async () => {
    const before = await st.digest()
    const broken = file('nonsense', 'x.exe', 'application/x-msdownload')
    for (const name of ['byrne', 'ada', 'niamh', 'doyle', 'tomas', 'nobody'] as const) {
      expect(await st.as[name].imports.students.raw({ body: csv(HEAD, NEW) })).toMatchObject({ status: 403 })
    }
    expect(await st.anonymous.imports.students.raw({ body: csv(HEAD, NEW) })).toMatchObject({ status: 401 })
    const foreign = await st.as.okafor.imports.students.raw({ query: { academicYearId: hilltopYear.id }, body: broken })
    expect(foreign).toMatchObject({ status: 404 })
    expect(await st.as.okafor.imports.students.raw({ query: { academicYearId: 'x' }, body: broken })).toMatchObject({
      status: 400,
      body: { code: 'malformed_id' },
    })
    expect(await st.digest()).toBe(before)
  })

  test('the neighbour’s students are not matched', async () => {
    const report = await dry(',,,,,HILLTOP-MARKER-001,', 'Hilltop-Marker,Hilltop-Pupil,f,2011-01-01,,,')
    expect(report.rows.map(({ action }) => action)).toEqual(['error', 'create'])
  })
})
