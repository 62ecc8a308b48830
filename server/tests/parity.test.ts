import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { naturalId } from '@markbook/shared/ids'
import { storyId } from '@markbook/shared/story/ids'
import { elan, englishEssay, fatima, mathsQuiz, mei, wanderer } from '@markbook/shared/story/marks'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3A, class3B, english, maths, michaelmas, thisYear, trinity } from '@markbook/shared/story/school-year'
import { story } from '@markbook/shared/story/story'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handlers } from '../features/handlers.ts'
import { asSystem } from '../store/tx.ts'
import { type School, school } from '../testing/school.ts'

/** Where both databases can be had: one application on each, with one clock, one source of ids, and the same requests. */
const onBoth = process.env['TEST_DATABASE'] === 'postgres'

type RequestParts = { params?: Record<string, string>; query?: Record<string, string> }
type Get = { name: string; endpoint: Endpoint; asked: RequestParts }

const isoIds = (rows: readonly { id: string; school_id?: string }[]) =>
  rows.filter(({ school_id }) => school_id === undefined || school_id === stBrigids).map(({ id }) => id)

/** A teaching set, which the story lacks: taught by Ada, of pupils of both classes. */
const set = { id: storyId('set', 1, 1), school_id: stBrigids, academic_year_id: thisYear.id, subject_id: maths.id, name: 'Upper set' }
const ofSet = { school_id: stBrigids, teaching_set_id: set.id }
const addSet = (st: School) =>
  st.services.store.write(asSystem(), async (tx) => {
    await tx.insert('teaching_set', set)
    await tx.insert('teaching_set_teacher', { ...ofSet, user_profile_id: people.ada.id })
    const members = [elan, fatima, mei].map(({ id }) => ({ ...ofSet, student_id: id }))
    await tx.insert('teaching_set_member', members)
  })

/** What stands for each name in a path or query; more than one value where the answers differ in kind. */
const values: Record<string, readonly string[]> = {
  yearId: isoIds(story.academic_year),
  academicYearId: [thisYear.id],
  termId: [michaelmas.id, trinity.id],
  subjectId: [maths.id, english.id],
  studentId: [elan.id, wanderer.id],
  sid: [elan.id],
  studentGroupId: [class3B.id, class3A.id],
  teachingSetId: [set.id],
  classId: [class3B.id, class3A.id],
  assessmentId: [mathsQuiz.id, englishEssay.id],
  from: ['2025-11-17'],
  to: ['2025-11-18'],
  reportType: ['term', 'year_end'],
}
/** What `id` (and, in some paths, a class) means depends on the resource. */
const idsOf: Record<string, readonly string[]> = {
  academicYears: isoIds(story.academic_year),
  terms: isoIds(story.term),
  students: isoIds(story.student),
  // `GET /api/students/:id/overview`
  calculations: isoIds(story.student),
  subjects: isoIds(story.subject),
  classes: [class3B.id, class3A.id],
  teachingSets: [set.id],
  assessments: isoIds(story.assessment),
  grades: [],
  reports: isoIds(story.report_book),
  reportFiles: isoIds(story.report_book),
  jobs: ['00000000-0000-7000-8000-999999999999'],
}
/** Query fields that may be left out and are worth asking with. */
const extra: Record<string, readonly RequestParts[]> = {
  'students.list': [
    { query: { search: 'O BRI' } },
    { query: { search: '%' } },
    { query: { isActive: 'true' } },
    { query: { classId: class3B.id } },
  ],
  'history.list': ['grade', 'report_book', 'enrolment'].map((entity) => ({
    query: { entity, id: entity === 'grade' ? naturalId('grade', mathsQuiz.id, elan.id) : draftReport.id },
  })),
}

const everyChoice = (names: readonly string[], resource: string): Record<string, string>[] =>
  names.reduce<Record<string, string>[]>(
    (made, name) => {
      const known = name === 'id' ? idsOf[resource] : values[name]
      if (!known) throw new Error(`the parity test knows no ${name} of ${resource}`)
      return made.flatMap((asked) => known.map((value) => ({ ...asked, [name]: value })))
    },
    [{}],
  )

const namesInPath = ({ path }: Endpoint) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string)
const neededInQuery = ({ query }: Endpoint) =>
  Object.entries(query?.shape ?? {})
    .filter(([, field]) => !(field as { safeParse(value: unknown): { success: boolean } }).safeParse(undefined).success)
    .map(([name]) => name)

function requestsOf(resource: string, key: string, endpoint: Endpoint): Get[] {
  const name = `${resource}.${key}`
  const written = extra[name] ?? []
  const needed = neededInQuery(endpoint)
  const asked =
    name === 'history.list'
      ? []
      : everyChoice(namesInPath(endpoint), resource).flatMap((params) => everyChoice(needed, resource).map((query) => ({ params, query })))
  return [...asked, ...written].map((one) => ({ name, endpoint, asked: one }))
}

const gets = Object.entries(contract)
  .filter(([resource]) => resource in handlers)
  .flatMap(([resource, endpoints]) =>
    Object.entries(endpoints as Record<string, Endpoint>)
      .filter(([, endpoint]) => endpoint.method === 'GET' && typeof endpoint.reply !== 'string')
      .flatMap(([key, endpoint]) => requestsOf(resource, key, endpoint)),
  )

const pathOf = ({ path }: Endpoint, { params = {}, query = {} }: RequestParts) =>
  `${path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')}${Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''}`

let pair: { sqlite: School; postgres: School }

/** The whole reply as text, but for the number of the request. */
const textOf = async (st: School, person: PersonName, path: string, more: RequestInit = {}) => {
  const headers = { cookie: st.cookieOf(person), ...(more.body ? { 'content-type': 'application/json' } : {}) }
  const response = await st.app.fetch(new Request(`http://markbook.test${path}`, { ...more, headers }))
  const total = response.headers.get('x-total-count') ?? ''
  return `${response.status} ${total}\n${(await response.text()).replace(/"request_id":"[^"]*"/, '')}`
}

const fromBoth = async (person: PersonName, path: string, more?: RequestInit) => ({
  sqlite: await textOf(pair.sqlite, person, path, more),
  postgres: await textOf(pair.postgres, person, path, more),
})

/** Every GET, by everybody, answers the same bytes. Answers by path, to see that they were answers. */
async function compareAll(persons: readonly PersonName[]): Promise<Map<string, string[]>> {
  const answers = new Map<string, string[]>()
  for (const { name, endpoint, asked } of gets) {
    for (const person of persons) {
      const path = pathOf(endpoint, asked)
      const { sqlite, postgres } = await fromBoth(person, path)
      expect(`${person} ${path}\n${postgres}`).toBe(`${person} ${path}\n${sqlite}`)
      answers.set(name, [...(answers.get(name) ?? []), sqlite])
    }
  }
  return answers
}

describe.runIf(onBoth)('SQLite and Postgres answer the same bytes', () => {
  beforeAll(async () => {
    pair = { sqlite: await school({ database: 'sqlite' }), postgres: await school({ database: 'postgres' }) }
    for (const st of Object.values(pair)) await addSet(st)
  })
  afterAll(async () => {
    await pair.sqlite.close()
    await pair.postgres.close()
  })

  test('to every GET of the contract, for everybody, with the story loaded', async () => {
    const answers = await compareAll(Object.keys(people) as PersonName[])
    // A path that only ever refuses would prove nothing.
    const silent = [...answers].filter(([, texts]) => !texts.some((text) => text.startsWith('200'))).map(([name]) => name)
    // The story has no files yet, and nobody has started anything.
    expect(silent).toEqual(['reportFiles.latestPdf', 'jobs.get'])
  })

  test('to the same writes, and to every GET after them', async () => {
    const writes: [PersonName, string, string, unknown?][] = [
      ['byrne', 'POST', '/api/reports/generate', { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' }],
      ['okafor', 'POST', '/api/reports/generate', { studentGroupId: class3B.id, termId: trinity.id, reportType: 'year_end' }],
      [
        'byrne',
        'PATCH',
        `/api/reports/${draftReport.id}`,
        { classTeacherRemark: 'Ünïcödé, “quoted”\nand 日本', attendancePercentage: 93.1 },
      ],
      ['ada', 'PATCH', `/api/report-entries/${naturalId('report_book_entry', draftReport.id, maths.id)}`, { letterGrade: 'B' }],
      ['byrne', 'PATCH', `/api/reports/${draftReport.id}/publish`],
      ['byrne', 'PATCH', `/api/reports/${draftReport.id}/send-to-ministry`],
      ['byrne', 'PATCH', `/api/reports/${draftReport.id}/send-to-ministry`],
      ['niamh', 'PATCH', `/api/reports/${draftReport.id}/publish`],
      [
        'okafor',
        'PUT',
        '/api/grading-scale',
        {
          passMark: 45,
          bands: [
            { letter: 'P', minimum: 33.33, remark: 'P' },
            { letter: 'N', minimum: 0, remark: 'N' },
          ],
        },
      ],
      ['okafor', 'PATCH', `/api/terms/${michaelmas.id}`, { examWeight: 33.34, courseworkWeight: 66.66 }],
      ['okafor', 'POST', '/api/reports/generate', { studentGroupId: class3A.id, termId: michaelmas.id, reportType: 'term' }],
    ]
    for (const [person, method, path, body] of writes) {
      pair.sqlite.clock.advance(1_234)
      pair.postgres.clock.advance(1_234)
      const { sqlite, postgres } = await fromBoth(person, path, { method, body: body === undefined ? null : JSON.stringify(body) })
      expect(`${method} ${path}\n${postgres}`).toBe(`${method} ${path}\n${sqlite}`)
      expect(sqlite).not.toMatch(/^5/)
    }
    for (const table of ['report_book', 'report_book_entry'] as const) {
      expect(JSON.stringify(await pair.postgres.rows(table))).toBe(JSON.stringify(await pair.sqlite.rows(table)))
    }
    await compareAll(['okafor', 'byrne', 'ada', 'niamh'])
  })
})
