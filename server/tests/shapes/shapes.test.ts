import { englishEssay, grades, mathsExam, wanderer, zoe } from '@markbook/shared/story/marks'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Box, isChange, openBox, until } from '../../testing/shapes.ts'

let box: Box
beforeAll(async () => {
  box = await openBox()
})
afterEach(() => box.letGo())
afterAll(() => box.close())

describe('the first copy', () => {
  test('has every row, in the words and values of the API', async () => {
    const { shape } = box.follow('okafor', { table: 'student' })
    const rows = await shape.rows
    const students = await box.as('okafor').students.list()
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect([...(rows as { id: string }[])].sort(byId)).toEqual([...students].sort(byId))
  })

  test('of grades has numbers and flags, and nothing but what the contract names', async () => {
    const { shape } = box.follow('ada', { table: 'grade', where: `assessment_id = $1`, params: { 1: mathsExam.id } })
    const rows = await shape.rows
    const listed = await box.as('ada').grades.list({ query: { assessmentId: mathsExam.id } })
    expect(rows.length).toBe(listed.length)
    for (const { letter_grade, student, ...grade } of listed) {
      expect([letter_grade, student]).not.toContain(undefined)
      expect(rows.find(({ id }) => id === grade.id)).toEqual(grade)
    }
  })

  test.each([
    ['term', 'terms'],
    ['subject', 'subjects'],
  ] as const)('of %s is what %s.list answers', async (table, resource) => {
    const { shape } = box.follow('niamh', { table })
    const api = box.as('niamh')
    const listed = resource === 'subjects' ? await api.subjects.list() : await api.terms.list({ query: { yearId: thisYear.id } })
    const rows = await shape.rows
    for (const row of listed) expect(rows).toContainEqual(row)
  })

  test('of the grading scale and of report entries has what is computed from the row', async () => {
    const scale = await box.as('okafor').gradingScale.get()
    await box.as('okafor').gradingScale.put({ body: { passMark: 40, bands: scale.bands } })
    const { shape } = box.follow('niamh', { table: 'grading_scale' })
    expect(await shape.rows).toEqual([{ id: expect.any(String), pass_mark: 40, bands: scale.bands }])
    const entries = box.follow('byrne', { table: 'report_book_entry' })
    const { entries: listed } = await box.as('byrne').reports.get({ params: { id: draftReport.id } })
    const rows = await entries.shape.rows
    for (const { subject, ...entry } of listed) {
      expect(subject.id).toBe(entry.subject_id)
      expect(rows).toContainEqual(entry)
    }
  })

  test('has only the columns that were asked for', async () => {
    const { shape } = box.follow('niamh', { table: 'subject', columns: ['id', 'code'] })
    expect(Object.keys((await shape.rows)[0] ?? {}).sort()).toEqual(['code', 'id'])
  })
})

describe('live', () => {
  test('a change arrives', async () => {
    const follower = box.follow('byrne', { table: 'grade' })
    await follower.shape.rows
    const grade = grades.find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id)
    const score = () => follower.shape.currentRows.find(({ id }) => id === grade?.id)?.['score']
    expect(score()).toBe(71)
    await box.as('ada').grades.update({ params: { id: grade?.id ?? '' }, body: { score: 72 } })
    await until(() => score() === 72, 'the mark')
  })

  test('rows are made, changed and deleted, and each is told once', async () => {
    const follower = box.follow('okafor', { table: 'student' })
    await follower.shape.rows
    const told: string[] = []
    follower.stream.subscribe((messages) => {
      for (const message of messages) if (isChange(message)) told.push(`${message.headers.operation} ${message.value['id']}`)
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    told.length = 0
    const api = box.as('okafor')
    const made = await api.students.create({ body: { firstName: 'Una', lastName: 'Daly', gender: 'female' } })
    await until(() => follower.ids().includes(made.id))
    await api.students.update({ params: { id: made.id }, body: { firstName: 'Úna' } })
    await until(() => follower.shape.currentRows.some(({ first_name }) => first_name === 'Úna'))
    await api.students.remove({ params: { id: made.id } })
    await until(() => !follower.ids().includes(made.id))
    expect(told).toEqual([`insert ${made.id}`, `update ${made.id}`, `delete ${made.id}`])
    expect(follower.refetches()).toBe(0)
  })

  test('a row that no longer meets the condition goes, and comes back when it does', async () => {
    const follower = box.follow('okafor', { table: 'student', where: 'is_active' })
    await follower.shape.rows
    const api = box.as('okafor')
    await api.students.update({ params: { id: wanderer.id }, body: { isActive: false } })
    await until(() => !follower.ids().includes(wanderer.id))
    await api.students.update({ params: { id: wanderer.id }, body: { isActive: true } })
    await until(() => follower.ids().includes(wanderer.id))
    expect(follower.shape.currentRows.find(({ id }) => id === wanderer.id)?.['last_name']).toBe('Gallagher')
  })

  test('figures that a report takes from its book are told with the book', async () => {
    const follower = box.follow('byrne', { table: 'report_book_entry' })
    await follower.shape.rows
    await box.as('byrne').reports.generate({ body: { studentGroupId: class3B.id, termId: draftReport.term_id, reportType: 'term' } })
    const { entries } = await box.as('byrne').reports.get({ params: { id: draftReport.id } })
    const averageOf = (id: string) => follower.shape.currentRows.find((row) => row['id'] === id)?.['term_composite']
    await until(() => entries.every(({ id, term_composite }) => averageOf(id) === term_composite), 'the figures')
  })

  test('a client that asks for events falls back to long polls and misses nothing', async () => {
    const follower = box.follow('okafor', { table: 'subject' }, { liveSse: true })
    await follower.shape.rows
    const made = await box.as('okafor').subjects.create({ body: { name: 'Music', code: 'MU' } })
    await until(() => follower.ids().includes(made.id))
    expect(follower.refused()).toEqual([])
  })
})

describe('resuming', () => {
  test('from an offset gives what changed since, and nothing else', async () => {
    const first = box.follow('okafor', { table: 'assessment' })
    await first.shape.rows
    const { shapeHandle: handle, lastOffset: offset } = first.stream
    first.end()
    await box.as('okafor').assessments.update({ params: { id: englishEssay.id }, body: { title: 'Long essay' } })
    const again = box.follow('okafor', { table: 'assessment' }, { handle, offset } as never)
    await until(() => again.shape.currentRows.length > 0)
    expect(again.shape.currentRows).toEqual([expect.objectContaining({ id: englishEssay.id, title: 'Long essay' })])
    expect(again.refetches()).toBe(0)
  })

  test('now: only what comes from here on', async () => {
    const follower = box.follow('okafor', { table: 'subject' }, { offset: 'now' })
    await until(() => follower.stream.isUpToDate)
    expect(follower.shape.currentRows).toEqual([])
    const made = await box.as('okafor').subjects.create({ body: { name: 'Art', code: 'ART' } })
    await until(() => follower.ids().includes(made.id))
    expect(follower.ids()).toEqual([made.id])
  })
})

describe('a request', () => {
  const term = { table: 'term', offset: '-1' }
  test.each([
    ['without a table', { offset: '-1' }, 'table'],
    ['without an offset', { table: 'term' }, 'offset'],
    ['with an offset that is none', { table: 'term', offset: '5' }, 'offset'],
    ['with an offset and no handle', { table: 'term', offset: '5_0' }, 'handle'],
    ['that is live before there is a copy', { ...term, live: 'true' }, 'live'],
    ['for a column that is not there', { ...term, columns: 'id,school_id' }, 'columns'],
    ['without the key', { ...term, columns: 'name' }, 'columns'],
    ['with a condition that cannot be read', { ...term, where: 'name like 1' }, 'where'],
    ['on a column that is not there', { ...term, where: `school_id = 'x'` }, 'where'],
    ['for a subset', { ...term, subset__limit: '5' }, 'subset__where'],
    ['for another replica', { ...term, replica: 'half' }, 'replica'],
    ['for another log', { ...term, log: 'none' }, 'log'],
  ])('%s is 400', async (_title, query, path) => {
    const response = await box.get('okafor', query as unknown as Record<string, string>)
    expect(response.status).toBe(400)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ code: 'validation_failed', issues: [{ path }] })
  })

  test('with a handle of another shape, or of nothing, begins anew', async () => {
    const first = await box.get('okafor', term)
    const handle = first.headers.get('electric-handle') ?? ''
    const offset = first.headers.get('electric-offset') ?? ''
    for (const query of [
      { table: 'subject', handle, offset },
      { table: 'term', where: 'true', handle, offset },
      { table: 'term', handle: 'x', offset },
      { table: 'term', handle, offset: '900000_0' },
    ])
      expect((await box.get('okafor', query as unknown as Record<string, string>)).status).toBe(409)
    expect((await box.get('okafor', { table: 'term', handle, offset })).status).toBe(200)
  })

  test('is answered for its reader alone, and not again where they have it', async () => {
    const first = await box.get('okafor', term)
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    expect(first.headers.get('vary')).toContain('cookie')
    expect(JSON.parse(first.headers.get('electric-schema') ?? '')).toMatchObject({
      id: { type: 'uuid', pk_index: 0, not_null: true },
      exam_weight: { type: 'float8' },
      start_date: { type: 'date' },
      is_ministry_reporting: { type: 'bool' },
    })
    const next = { table: 'term', handle: first.headers.get('electric-handle') ?? '', offset: first.headers.get('electric-offset') ?? '' }
    const etag = (await box.get('okafor', next)).headers.get('etag') ?? ''
    expect((await box.get('okafor', next, { 'if-none-match': etag })).status).toBe(304)
  })

  test('of another kind is 405, and a page of another site may not read the answer', async () => {
    const post = await fetch(`${box.url}/v1/shape?table=term&offset=-1`, { method: 'POST', headers: { cookie: box.cookie('okafor') } })
    expect(post.status).toBe(405)
    const foreign = await box.get('okafor', term, { origin: 'https://elsewhere.example' })
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
    const ours = await box.get('okafor', term, { origin: box.url })
    expect(ours.headers.get('access-control-expose-headers')).toContain('electric-offset')
  })

  test('too many that wait are told to come again', async () => {
    const first = await box.get('niamh', term)
    const query = {
      table: 'term',
      handle: first.headers.get('electric-handle') ?? '',
      offset: first.headers.get('electric-offset') ?? '',
      live: 'true',
    }
    const ending = new AbortController()
    const statuses: number[] = []
    const search = new URLSearchParams(query)
    for (let at = 0; at < 61; at += 1)
      fetch(`${box.url}/v1/shape?${search}&n=${at}`, { headers: { cookie: box.cookie('niamh') }, signal: ending.signal }).then(
        ({ status, headers }) => statuses.push(headers.get('retry-after') ? status : 0),
        () => {},
      )
    await until(() => statuses.length > 0)
    expect(statuses).toEqual([429])
    ending.abort()
    // Who has gone waits no longer.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    const ended = new AbortController()
    const after = fetch(`${box.url}/v1/shape?${search}`, { headers: { cookie: box.cookie('niamh') }, signal: ended.signal })
    const answered = await Promise.race([after.then(({ status }) => status), new Promise((resolve) => setTimeout(resolve, 500, 'waits'))])
    expect(answered).toBe('waits')
    ended.abort()
    await after.catch(() => {})
  })
})
