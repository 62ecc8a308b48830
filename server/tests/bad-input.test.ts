import { elan, hilltopPupil, mathsExam, mathsQuiz, mei, wanderer, zoe } from '@markbook/shared/story/marks'
import { hilltop, type PersonName, people } from '@markbook/shared/story/people'
import { class3A, class3B, hilltopYear, lastMichaelmas, lastYear, michaelmas, science, thisYear } from '@markbook/shared/story/school-year'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Ask, ask } from '../testing/ask.ts'
import { proved } from '../testing/proved.ts'
import { type School, school } from '../testing/school.ts'
import { endpoints, furnished, type Named } from './matrix/furnished.ts'
import { gradeIds } from './matrix/neighbour.ts'
import { refusalOf } from './sweep/refusal.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const called = (name: string): Named => {
  const named = endpoints.find((one) => one.name === name)
  if (!named) throw new Error(`the contract has no ${name}`)
  return named
}
const send = (name: string, asked: Ask, who: PersonName = 'okafor') => ask(st.app, called(name).endpoint, asked, st.cookieOf(who))

type Bad = readonly [what: string, name: string, asked: Ask, answer: string, who?: PersonName]
const INVALID = '400 validation_failed'

const term = { academicYearId: lastYear.id, name: 'hilary', startDate: '2025-01-07', endDate: '2025-03-28' }
const year = { name: '2027/28', startDate: '2027-09-01', endDate: '2028-06-30', gradingModel: 'year_based' }
const WEIGHTS = [
  '60,"W":41',
  '-10,"W":110',
  '"60","W":40',
  '1e308,"W":40',
  '1e999,"W":40',
  '60',
  'null,"W":100',
  '33.333,"W":66.667',
  '[60],"W":40',
  'true,"W":99',
]
/** Written as text, because JSON can say numbers that no JavaScript literal would. */
const weighed = (body: object, exam: string, coursework: string, weights: string) =>
  `${JSON.stringify(body).slice(0, -1)}${JSON.stringify(body) === '{}' ? '' : ','}"${exam}":${weights.replace('W', coursework)}}`

const SCORES = ['20.01', '-1', '-0.01', 'null', '"15"', '1e308', '1e999', '12.345', 'true', '[15]', '{}', '100000.01']
const scored = (text: string) => (text === '20.01' ? '400 grades.above_maximum' : INVALID)
const quiz = { assessmentId: mathsQuiz.id }

const lists: readonly Bad[] = [
  ...WEIGHTS.flatMap((weights): Bad[] => [
    [`term weights ${weights}`, 'terms.create', { body: weighed(term, 'examWeight', 'courseworkWeight', weights) }, INVALID],
    [
      `changed term weights ${weights}`,
      'terms.update',
      { params: { id: lastMichaelmas.id }, body: weighed({}, 'examWeight', 'courseworkWeight', weights) },
      INVALID,
    ],
    [
      `year weights ${weights}`,
      'academicYears.create',
      { body: weighed(year, 'yearExamWeight', 'yearCourseworkWeight', weights) },
      INVALID,
    ],
  ]),
  ...SCORES.flatMap((score): Bad[] => [
    [
      `score ${score}`,
      'grades.create',
      { body: `{"assessmentId":"${mathsQuiz.id}","studentId":"${wanderer.id}","score":${score}}` },
      scored(score),
    ],
    [`changed score ${score}`, 'grades.update', { params: { id: gradeIds.own }, body: `{"score":${score}}` }, scored(score)],
    [
      `score ${score} in bulk`,
      'grades.bulk',
      {
        body: `{"assessmentId":"${mathsQuiz.id}","grades":[{"studentId":"${elan.id}","score":1},{"studentId":"${zoe.id}","score":${score}}]}`,
      },
      scored(score),
    ],
  ]),
  ...['NaN', 'Infinity', '.5', '0x10', '1_000', "'15'", '+5'].map(
    (score): Bad => [`score ${score}`, 'grades.update', { params: { id: gradeIds.own }, body: `{"score":${score}}` }, '400 invalid_json'],
  ),
]

const single: readonly Bad[] = [
  [
    'a profile moved into a school without a membership',
    'auth.updateProfile',
    { body: { schoolId: hilltop } },
    '403 auth.not_a_member',
    'ada',
  ],
  [
    'a term moved to another school’s year',
    'terms.update',
    { params: { id: michaelmas.id }, body: { academicYearId: hilltopYear.id } },
    '404 not_found',
  ],
  [
    'a term moved to a year where its days are not',
    'terms.update',
    { params: { id: michaelmas.id }, body: { academicYearId: lastYear.id, name: 'trinity' } },
    '400 terms.outside_year',
  ],
  [
    'bulk grades with one student of another school',
    'grades.bulk',
    { body: { ...quiz, grades: [elan, zoe, hilltopPupil].map(({ id }) => ({ studentId: id, score: 3 })) } },
    '404 not_found',
  ],
  [
    'bulk grades with a student twice',
    'grades.bulk',
    { body: { ...quiz, grades: [elan, zoe, elan].map(({ id }) => ({ studentId: id, score: 3 })) } },
    INVALID,
  ],
  [
    'more bulk grades than are taken',
    'grades.bulk',
    {
      body: {
        ...quiz,
        grades: Array.from({ length: 1_001 }, (_, at) => ({
          studentId: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
          score: 3,
        })),
      },
    },
    INVALID,
  ],
  ['no bulk grades', 'grades.bulk', { body: { ...quiz, grades: [] } }, INVALID],
  ['a maximum of nothing', 'assessments.update', { params: { id: mathsQuiz.id }, body: { maxScore: 0 } }, INVALID],
  [
    'a maximum under a recorded score',
    'assessments.update',
    { params: { id: mathsQuiz.id }, body: { maxScore: 19.99 } },
    '409 assessments.score_above_maximum',
  ],
  ['a weight under nothing', 'assessments.update', { params: { id: mathsQuiz.id }, body: { weight: -1 } }, INVALID],
  ['another term for an assessment', 'assessments.update', { params: { id: mathsQuiz.id }, body: { termId: lastMichaelmas.id } }, INVALID],
  ['another subject for an assessment', 'assessments.update', { params: { id: mathsQuiz.id }, body: { subjectId: science.id } }, INVALID],
  ['a day that is none', 'students.update', { params: { id: wanderer.id }, body: { dateOfBirth: '2011-02-29' } }, INVALID],
  ['an instant for a day', 'students.update', { params: { id: wanderer.id }, body: { dateOfBirth: '2011-02-28T00:00:00Z' } }, INVALID],
  ['a day long before any pupil', 'students.update', { params: { id: wanderer.id }, body: { dateOfBirth: '0001-01-01' } }, INVALID],
  ['a year that ends before it starts', 'academicYears.update', { params: { id: thisYear.id }, body: { endDate: '2025-08-31' } }, INVALID],
  ['only blanks for a name', 'students.update', { params: { id: wanderer.id }, body: { firstName: ' \u00a0\u200b' } }, INVALID],
  ['a header in a name', 'schools.updateMine', { body: { name: 'St Brigid’s\r\nBcc: all@mail.example' } }, INVALID],
  ['a header in an address', 'auth.sendOtp', { body: { email: 'a@x.org\r\nBcc: b@x.org' } }, INVALID],
  ['two addresses', 'auth.sendOtp', { body: { email: 'a@x.org, b@x.org' } }, INVALID],
  ['a token that is a number', 'auth.verifyOtp', { body: { email: 'a@x.org', token: 12_345_678 } }, INVALID],
  ['a token in other digits', 'auth.verifyOtp', { body: { email: 'a@x.org', token: '١٢٣٤٥٦٧٨' } }, INVALID],
  ['a token with a hyphen', 'auth.verifyOtp', { body: { email: 'a@x.org', token: '1234-5678' } }, INVALID],
  ['a row made somebody else’s', 'terms.update', { params: { id: michaelmas.id }, body: { school_id: hilltop } }, INVALID],
  ['a role given to oneself', 'auth.updateProfile', { body: { role: 'admin' } }, INVALID, 'ada'],
  ['a search longer than any name', 'students.list', { query: { search: 'x'.repeat(201) } }, INVALID],
  ['a NUL in a search', 'students.list', { query: { search: 'a\u0000' } }, INVALID],
  ['a search for active pupils in other words', 'students.list', { query: { isActive: 'yes' } }, INVALID],
  ['a kind of row that has no history', 'history.list', { query: { entity: 'session', id: elan.id } }, INVALID],
]

describe('bad input is refused in clear words, and nothing changes', () => {
  let before: string
  beforeEach(async () => {
    before = await st.digest()
  })
  afterEach(async () => {
    expect(await st.digest()).toBe(before)
  })

  const rows = [...single, ...lists].map(([what, name, asked, answer, who]) => ({ what, name, asked, answer, who }))
  test.each(rows)('$what', async ({ name, asked, answer, who }) => {
    expect(refusalOf(await send(name, asked, who))).toBe(answer)
  })
})

describe('a search is for what it says', () => {
  test.each(['%', '_', '\\', "'", '"', "' or 1=1 --", '%%', 'O_Briain', '*', '[a-z]', '(', '\\%'])('%s finds nobody', async (search) => {
    const { status, text } = await send('students.list', { query: { search } })
    expect([status, JSON.parse(text)]).toEqual([200, []])
  })

  test('%, _, \\ and ’ find whoever has them in the name', async () => {
    const named = await school({ seed: 'search' })
    for (const lastName of ['100% Sure', 'Under_Score', 'Back\\Slash', "O'Neill"]) {
      await named.as.okafor.students.create({ body: { firstName: 'Sam', lastName, gender: 'other' } })
      const found = await named.as.okafor.students.list({ query: { search: lastName.slice(2, 8) } })
      expect(found.map((student) => student.last_name)).toEqual([lastName])
    }
    await named.close()
  })
})

test('of a parameter that comes twice one counts, for access and for the answer', async () => {
  const place = (first: string, second: string) =>
    new Request(`http://markbook.test/api/students?classId=${first}&classId=${second}`, { headers: { cookie: st.cookieOf('ada') } })
  const asked = async (first: string, second: string) => (await st.app.fetch(place(first, second))).status
  expect(await asked(class3A.id, class3B.id)).toBe(200)
  expect(await asked(class3B.id, class3A.id)).toBe(403)
})

const twice: readonly (readonly [what: string, name: string, asked: Ask, refusal: string])[] = [
  ['terms', 'terms.create', { body: { ...term, examWeight: 60, courseworkWeight: 40 } }, '409 terms.duplicate_name'],
  ['subjects', 'subjects.create', { body: { name: 'Music', code: 'MU' } }, '409 subjects.duplicate_code'],
  ['classes', 'classes.create', { body: { name: '3C', academicYearId: thisYear.id } }, '409 classes.duplicate_name'],
  [
    'students with a number',
    'students.create',
    { body: { firstName: 'Nóra', lastName: 'Daly', gender: 'female', studentNumber: 'SB-100' } },
    '409 students.duplicate_number',
  ],
  ['grades', 'grades.create', { body: { assessmentId: mathsExam.id, studentId: elan.id, score: 50 } }, '409 grades.already_exists'],
]

describe('of two equal creations at once one is made', () => {
  test.each(twice)('%s', async (_what, name, asked, refusal) => {
    const told = await Promise.all(Array.from({ length: 5 }, () => send(name, asked)))
    const made = told.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    expect(told.filter(({ status }) => status !== 201).map(refusalOf)).toEqual(Array(4).fill(refusal))
  })

  test('of five requests to join, one; of five enrolments in one class, one row', async () => {
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => send('schools.requestToJoin', { params: { schoolId: hilltop }, body: {} }, 'nobody')),
    )
    expect(asked.map(({ status, code }) => `${status} ${code}`).sort()).toEqual([
      '201 undefined',
      ...Array(4).fill('400 schools.pending_request'),
    ])
    const enrolled = await Promise.all(
      Array.from({ length: 5 }, () => send('classes.enroll', { params: { id: class3B.id }, body: { studentId: wanderer.id } })),
    )
    expect(new Set(enrolled.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(enrolled[0]?.status).toBe(201)
  })

  test('ten equal bulk requests at once leave the rows of one', async () => {
    const body = { assessmentId: mathsExam.id, grades: [elan, mei, wanderer].map(({ id }, at) => ({ studentId: id, score: 60 + at })) }
    const told = await Promise.all(Array.from({ length: 10 }, () => send('grades.bulk', { body })))
    expect(told.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const rows = (await st.rows('grade')).filter(
      (row) => row.assessment_id === mathsExam.id && body.grades.some(({ studentId }) => studentId === row.student_id),
    )
    expect(rows).toHaveLength(3)
  })
})

/** What answers something else every time: tokens, secrets and codes. */
const RANDOM = [
  'auth.refresh',
  'avatars.resumable',
  'replication.invite',
  'outage.enrolTotp',
  'outage.newRecoveryCodes',
  'outage.issueDeskCode',
  'passkeys.ask',
  'passkeys.begin',
]

async function everyReply(zone: string): Promise<string[]> {
  const own = process.env['TZ']
  process.env['TZ'] = zone
  const at = await furnished({ seed: 'zones' })
  // Then it is past midnight in Kathmandu, and still the day before in Greenwich.
  at.st.clock.set('2026-01-12T18:30:00.000Z')
  await proved(at.st, ...Object.values(people))
  const replies: string[] = []
  for (const named of endpoints.filter(({ name }) => !RANDOM.includes(name))) {
    const { status, text } = await ask(at.dry, named.endpoint, at.ownAsk(named), at.ownCookie(named))
    // Part of a stored file's path is random, so that nothing is ever written over.
    replies.push(`${named.name} ${status} ${text.replace(/\d{13}-[0-9a-f-]{36}/g, 'random')}`)
  }
  await at.st.close()
  if (own === undefined) delete process.env['TZ']
  else process.env['TZ'] = own
  return replies
}

describe('the zone of the machine', () => {
  test('changes no reply', async () => {
    const replies = await everyReply('UTC')
    for (const zone of ['Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati']) expect(await everyReply(zone)).toEqual(replies)
  })

  test('can be set while the tests run, so that the one above means something', () => {
    const own = process.env['TZ']
    process.env['TZ'] = 'Asia/Kathmandu'
    expect(new Date('2026-01-12T18:30:00.000Z').getTimezoneOffset()).toBe(-345)
    if (own === undefined) delete process.env['TZ']
    else process.env['TZ'] = own
  })
})
