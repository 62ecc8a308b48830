import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readWorkbook } from '@markbook/shared/spreadsheet/workbook'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { descriptions } from '@markbook/shared/tables/tables'
import { zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportSchool } from '../cli/export/export-school.ts'
import { importSchool, readExport } from '../cli/export/import-school.ts'
import { marksWorkbook } from '../cli/export/marks-workbook.ts'
import { administrator, placesIn, schoolNamed } from '../cli/export/naming.ts'
import { openParts, writeExport } from '../cli/export/place.ts'
import { exportedTables, notePeople, pagesOfPeople, pagesOfSchool, type SchoolRows } from '../cli/export/rows.ts'
import { readExactCsv } from '../documents/csv.ts'
import type { Progress } from '../store/backup/engine.ts'
import { takeLock } from '../store/sqlite.ts'
import { asSystem, type ReadTx } from '../store/tx.ts'
import { png } from '../testing/pictures.ts'
import { type School, school } from '../testing/school.ts'

let st: School
let folder: string
beforeEach(async () => {
  st = await school()
  folder = mkdtempSync(join(tmpdir(), 'markbook-export-'))
})
afterEach(async () => {
  await st.close()
  rmSync(folder, { recursive: true, force: true })
})

const head = people.okafor.email
const exported = async (name: string, progress: Progress = () => {}) => {
  const path = join(folder, name)
  const made = await writeExport(path, progress, (into) =>
    exportSchool(st.services, { schoolId: stBrigids, adminId: people.okafor.id, into, progress }),
  )
  const { paths, read } = openParts(path)
  const parts = new Map(paths.map((part) => [part, read(part) as Uint8Array]))
  return { path, parts, ...made }
}
const rowsIn = (of: School) => of.services.store.read(asSystem(), rowsOfSchool)
/** All rows of the school and the people whom they name. */
async function rowsOfSchool(tx: ReadTx): Promise<SchoolRows> {
  const rows: SchoolRows = {}
  const people = new Set<string>()
  for (const table of exportedTables) {
    for await (const page of pagesOfSchool(tx, table, stBrigids)) {
      for (const row of page) notePeople(row, people)
      rows[table] = [...(rows[table] ?? []), ...page]
    }
    if (descriptions[table].scope !== 'commons') rows[table] ??= []
  }
  for await (const page of pagesOfPeople(tx, people)) rows.user_profile = [...(rows.user_profile ?? []), ...page]
  return rows
}
const text = (path: string, file: string) => readFileSync(join(path, file), 'utf8')

describe('an export', () => {
  test('holds every row of the school and none of another, each mark in words, and explains itself', async () => {
    await st.as.byrne.reports.list({ query: { studentGroupId: class3B.id, termId: michaelmas.id } })
    const { path, manifest } = await exported('all')
    const rows = await rowsIn(st)
    for (const table of exportedTables) {
      const [names = [], ...lines] = readExactCsv(readFileSync(join(path, 'tables', `${table}.csv`)))
      expect(lines).toHaveLength(rows[table]?.length ?? 0)
      expect(manifest.counts[table]).toBe(lines.length)
      for (const name of names) expect(text(path, 'README.md')).toContain(`\`${name}\``)
    }
    expect(text(path, 'marks.csv').split('\r\n')).toHaveLength((rows.grade?.length ?? 0) + 2)
    expect(text(path, 'marks.csv')).toContain('2025/26,michaelmas,3B,SB-001,Ó Briain,Élan,Mathematics,Quiz 1,coursework')
    const everything = readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n')
    expect(everything).not.toMatch(/hilltop/i)
    expect(everything).not.toMatch(/sealed_secret|code_hash|refresh_hash/)
  })

  test('results.csv says what the service says', async () => {
    const { path } = await exported('all')
    const { students } = await st.as.okafor.calculations.classTerm({ query: { termId: michaelmas.id, studentGroupId: class3B.id } })
    const lines = readExactCsv(readFileSync(join(path, 'results.csv')))
    for (const { student, overall_average, position } of students) {
      const whole = lines.find(
        (line) => line[1] === 'michaelmas' && line[3] === student.last_name && line[4] === student.first_name && line[5] === '',
      )
      expect(whole?.slice(8)).toEqual([String(overall_average ?? ''), expect.any(String), String(position ?? ''), '6'])
    }
  })

  test('is never written over something, and leaves no session behind', async () => {
    const sessions = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.session))
    const before = (await sessions()).filter(({ revoked_at }) => revoked_at === null).length
    const { path } = await exported('all')
    await expect(exported('all')).rejects.toThrow(/is there already, and was not touched/)
    expect(readdirSync(folder)).toEqual(['all'])
    expect(readdirSync(path)).toContain('export.json')
    expect((await sessions()).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(before)
  })
})

describe('taking an export in', () => {
  test.each(['folder', 'school.zip'])('from a %s: every row as it was, on an empty database, and people sign in to it', async (name) => {
    await st.as.okafor.students.create({ body: { firstName: '=Zoë', lastName: '-O’Hara, "the third"', gender: 'female' } })
    const { path } = await exported(name)
    const other = await school({ story: false, seed: 'other' })
    try {
      await importSchool(other.services, readExport(path, head))
      expect(await rowsIn(other)).toEqual(await rowsIn(st))
      const history = await other.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.history))
      expect(new Set(history.map(({ actor_id }) => actor_id))).toEqual(new Set([people.okafor.id]))
      expect(await schoolNamed(other.services.store, undefined)).toMatchObject({ schoolId: stBrigids, email: head })
      await expect(importSchool(other.services, readExport(path, head))).rejects.toThrow(
        /is in this database already\. Nothing was changed\.$/,
      )
    } finally {
      await other.close()
    }
  })

  test('what is refused: a changed file, a missing one, somebody who is no administrator, what is no export', async () => {
    const { path } = await exported('all')
    const before = await st.digest()
    expect(() => readExport(path, people.byrne.email)).toThrow(/is no administrator of the school in this export/)
    const grades = text(path, 'tables/grade.csv')
    writeFileSync(join(path, 'tables/grade.csv'), grades.replace('false', 'true'))
    expect(() => readExport(path, head)).toThrow('tables/grade.csv in this export is missing or not what was written.')
    rmSync(join(path, 'tables/grade.csv'))
    expect(() => readExport(path, head)).toThrow('tables/grade.csv in this export is missing or not what was written.')
    const { digest: _digest, ...about } = JSON.parse(text(path, 'export.json'))
    writeFileSync(join(path, 'export.json'), JSON.stringify({ ...about, schema: 99 }))
    expect(() => readExport(path, head)).toThrow(/newer Markbook/)
    writeFileSync(
      join(path, 'export.json'),
      JSON.stringify({ ...about, files: [{ part: '../x', bucket: 'images', path: 'x', content_type: 'x' }] }),
    )
    expect(() => readExport(path, head)).toThrow(/cannot be read/)
    expect(() => readExport(folder, head)).toThrow(/is not an export of Markbook/)
    expect(() => readExport(join(folder, 'nowhere'), head)).toThrow(/There is no export/)
    expect(await st.digest()).toBe(before)
  })
})

describe('an export that breaks off', () => {
  /** Throws at the step of this number. */
  const untilStep =
    (last: number, error: unknown = new Error('the stick was pulled out')): Progress =>
    () => {
      if (--last < 0) throw error
    }
  /** Without the moment at which it was made. */
  const bytesOf = ({ parts }: Awaited<ReturnType<typeof exported>>) =>
    [...parts]
      .map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')] as const)
      .filter(([path]) => path !== 'export.json')
      .map(([path, content]) => [path, content.replace(/Made at \S+/, '')])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  const stepsOf = async (name: string) => {
    let steps = 0
    const whole = await exported(name, () => {
      steps += 1
    })
    return { whole, steps }
  }
  const withCrest = async () => {
    const form = new FormData()
    form.set('file', new File([png()], 'crest.png', { type: 'image/png' }))
    await st.as.okafor.schools.putCrest({ body: form })
  }

  test('at any step: the same command goes on from there, and the export is what it would have been', async () => {
    await withCrest()
    const { whole, steps } = await stepsOf('whole')
    expect(steps).toBeGreaterThan(20)
    let kept = 0
    for (let last = 0; last < steps; last += 3) {
      await expect(exported(`at-${last}`, untilStep(last))).rejects.toThrow(
        `the stick was pulled out\nWhat was written so far lies in ${join(folder, `at-${last}.unfinished`)}. The same command goes on`,
      )
      expect(readdirSync(folder)).not.toContain(`at-${last}`)
      const resumed = await exported(`at-${last}`)
      expect(bytesOf(resumed)).toEqual(bytesOf(whole))
      expect(resumed.manifest.parts.map(({ path }) => path).sort()).toEqual(whole.manifest.parts.map(({ path }) => path).sort())
      expect(readExport(resumed.path, head).manifest.counts).toEqual(whole.manifest.counts)
      expect(resumed.kept).toBeGreaterThanOrEqual(kept)
      kept = resumed.kept
    }
    expect(kept).toBeGreaterThan(10)
    expect(readdirSync(folder).filter((name) => !/^(whole|at-\d+)$/.test(name))).toEqual([])
  })

  test('a zip goes on as well', async () => {
    const { whole, steps } = await stepsOf('whole.zip')
    await expect(exported('all.zip', untilStep(steps - 1))).rejects.toThrow(/all\.zip\.unfinished\.parts\. The same command/)
    const resumed = await exported('all.zip')
    expect(resumed.kept).toBeGreaterThan(10)
    expect(bytesOf(resumed)).toEqual(bytesOf(whole))
    expect(readdirSync(folder).sort()).toEqual(['all.zip', 'whole.zip'])
  })

  test('where something changed since, it begins anew, with the stored files that are the same', async () => {
    await withCrest()
    const { steps } = await stepsOf('before')
    await expect(exported('all', untilStep(steps - 1))).rejects.toThrow('the stick')
    await st.as.okafor.students.create({ body: { firstName: 'New', lastName: 'Comer', gender: 'female' } })
    const whole = await exported('whole')
    expect(whole.kept).toBe(0)
    const resumed = await exported('all')
    expect(bytesOf(resumed)).toEqual(bytesOf(whole))
    expect(text(resumed.path, 'students.csv')).toContain('Comer')
    expect(resumed.kept).toBe(whole.manifest.files.length)
  })

  test('what was changed or cut off in between is written anew; what does not belong there is removed', async () => {
    const { whole, steps } = await stepsOf('whole')
    await expect(exported('all', untilStep(steps - 1))).rejects.toThrow('the stick')
    const unfinished = join(folder, 'all.unfinished')
    const marks = text(unfinished, 'marks.csv')
    writeFileSync(join(unfinished, 'marks.csv'), marks.replace('3B', '3A'))
    writeFileSync(join(unfinished, 'history.csv'), text(unfinished, 'history.csv').slice(0, -1))
    writeFileSync(join(unfinished, 'more.csv'), 'of somebody')
    const finished = text(unfinished, 'finished.jsonl')
    writeFileSync(join(unfinished, 'finished.jsonl'), finished.slice(0, -5))
    const resumed = await exported('all')
    expect(bytesOf(resumed)).toEqual(bytesOf(whole))
    expect(resumed.kept).toBeGreaterThan(5)
  })

  test('on a full disk nothing is left; two at once do not write into one another', async () => {
    await expect(exported('all.zip', untilStep(30, Object.assign(new Error('no room'), { code: 'ENOSPC' })))).rejects.toThrow(/^no room$/)
    expect(readdirSync(folder)).toEqual([])
    const other = takeLock(join(folder, 'all.unfinished.lock'))
    await expect(exported('all')).rejects.toThrow(/^Another export is writing .*all\. Nothing was changed\.$/)
    other?.close()
    expect((await exported('all')).kept).toBe(0)
  })
})

describe('an export that is damaged', () => {
  /** The parts, with one of them otherwise; in the shape that is named. */
  const damaged = (parts: ReadonlyMap<string, Uint8Array>, path: string, bytes: Uint8Array, to: string) => {
    const all = new Map([...parts, [path, bytes]])
    if (to.endsWith('.zip')) writeFileSync(join(folder, to), zipSync(Object.fromEntries(all)))
    else
      for (const [part, content] of all) {
        mkdirSync(dirname(join(folder, to, part)), { recursive: true })
        writeFileSync(join(folder, to, part), content)
      }
    return () => readExport(join(folder, to), head)
  }
  const flipped = (bytes: Uint8Array, at: number) => Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 4 : byte))

  test('one byte of any file of it, in a folder or a zip, and it is refused before anything is written', async () => {
    const form = new FormData()
    form.set('file', new File([png()], 'crest.png', { type: 'image/png' }))
    await st.as.okafor.schools.putCrest({ body: form })
    const { parts, missing } = await exported('all')
    expect([...parts.keys()].some((path) => path.startsWith('files/images/crests/'))).toBe(true)
    expect(missing).toEqual([])
    const before = await st.digest()
    let count = 0
    for (const [path, bytes] of parts) {
      for (const end of ['', '.zip']) {
        count += 1
        const refused = damaged(parts, path, flipped(bytes, bytes.length >> 1), `flipped-${count}${end}`)
        expect(refused, path).toThrow(/not what was written|cannot be read|not an export/)
      }
    }
    expect(await st.digest()).toBe(before)
  })

  test('a byte of the manifest, wherever', async () => {
    const { path, parts } = await exported('all')
    const manifest = parts.get('export.json') ?? new Uint8Array()
    // All of its end, and a byte in each line or two of the rest.
    for (let at = 0; at < manifest.length; at += at < manifest.length - 120 ? 41 : 1) {
      writeFileSync(join(path, 'export.json'), flipped(manifest, at))
      expect(() => readExport(path, head), `byte ${at}`).toThrow(/not what was written|cannot be read|newer Markbook/)
    }
  })

  test('a zip that was cut off anywhere', async () => {
    const { path } = await exported('school.zip')
    const whole = readFileSync(path)
    expect(readExport(path, head).manifest.school.id).toBe(stBrigids)
    for (let size = 0; size < whole.length; size += Math.ceil(whole.length / 40)) {
      writeFileSync(path, whole.subarray(0, size))
      expect(() => readExport(path, head), `${size} bytes`).toThrow(/neither a folder nor a zip|not an export|not what was written/)
    }
    writeFileSync(path, whole.subarray(0, whole.length - 1))
    expect(() => readExport(path, head)).toThrow()
  })

  test.each(['', '.zip'])('a file that the manifest does not name, in an export%s', async (end) => {
    const { parts } = await exported('all')
    const refused = damaged(parts, 'tables/more.csv', Buffer.from('id'), `more${end}`)
    expect(refused).toThrow('tables/more.csv lies in this export and is no part of it.')
  })

  test('one of before there was a digest of the manifest is taken in', async () => {
    const { path } = await exported('all')
    const { digest: _digest, ...about } = JSON.parse(text(path, 'export.json'))
    writeFileSync(join(path, 'export.json'), JSON.stringify(about, null, 2))
    expect(readExport(path, head).manifest.school.id).toBe(stBrigids)
  })
})

describe('the marks of a class', () => {
  const asked = { places: placesIn('3b/Michaelmas') }
  test('a sheet for each subject that has assessments', async () => {
    const { bytes, subjects } = await marksWorkbook(st.services.store, stBrigids, asked)
    expect(subjects).toContain(maths.name)
    expect((await readWorkbook(bytes, [maths.name])).head.slice(0, 4)).toEqual(['student_id', 'student_number', 'last_name', 'first_name'])
  })

  test('of one subject comes back through the import unchanged', async () => {
    const { bytes } = await marksWorkbook(st.services.store, stBrigids, { ...asked, subject: maths.code.toLowerCase() })
    const body = new FormData()
    body.set('file', new File([bytes as never], 'marks.xlsx'))
    const query = { studentGroupId: class3B.id, termId: michaelmas.id, subjectId: maths.id }
    expect(await st.as.okafor.imports.grades({ query, body })).toMatchObject({ errors: 0, created: 0, updated: 0, unchanged: 6 })
  })

  test('a term and a class whose own words have a slash', async () => {
    const { store } = st.services
    const named = (typed: string) => marksWorkbook(store, stBrigids, { places: placesIn(typed) })
    await st.as.okafor.terms.update({ params: { id: michaelmas.id }, body: { name: 'Part 1/2' } })
    expect(await named('3B/Part 1/2')).toMatchObject({ className: '3B', term: 'Part 1/2' })
    await st.as.okafor.classes.update({ params: { classId: class3B.id }, body: { name: '3/B' } })
    expect(await named('3/B/Part 1/2')).toMatchObject({ className: '3/B', term: 'Part 1/2' })
    expect(await named(`3/B/${michaelmas.id}`)).toMatchObject({ className: '3/B' })
    await expect(named('3/B/Part 2')).rejects.toThrow(/^There is no term Part 2\./)
    expect([placesIn('3B'), placesIn('/3B'), placesIn('3B/')]).toEqual([[], [], []])
  })

  test('what is not there is said with what is', async () => {
    const { store } = st.services
    await expect(marksWorkbook(store, stBrigids, { ...asked, places: placesIn('9Z/michaelmas') })).rejects.toThrow(
      /^There is no class 9Z\. There are: 3A, 3B\.$/,
    )
    await expect(marksWorkbook(store, stBrigids, { ...asked, year: '1999' })).rejects.toThrow(/^There is no year 1999\./)
    await expect(schoolNamed(store, undefined)).rejects.toThrow(/^Say which school, with --school:/)
    await expect(administrator(store, people.byrne.email)).rejects.toThrow(/is no administrator here\. Administrators are: /)
  })
})
