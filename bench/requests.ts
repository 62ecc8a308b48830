import { cookieName, sessionCookies } from '@markbook/server/http/cookies'
import { startSession } from '@markbook/server/http/sessions'
import { keysOf } from '@markbook/server/http/tokens'
import { asSystem } from '@markbook/server/store/tx'
import { type At, withStore } from './fill.ts'
import { SECRET } from './processes.ts'
import { benchSchool, type Marked, type Size } from './school.ts'

/** The Cookie headers of the head, and of the class teacher of the first class. */
export type Cookies = { head: string; teacher: string }

/** Starts the two sessions in the database before the server runs: signing in is not measured. */
export async function signIn(size: Size, at: At): Promise<Cookies> {
  const { head, teachers } = benchSchool(size)
  return withStore(at, async (store) => {
    const cookieOf = (userId: string) =>
      store.write(asSystem(), async (tx) => {
        const session = await startSession(tx, userId, keysOf(SECRET))
        const settings = { name: cookieName('sb', 'local'), secure: false }
        return sessionCookies(session, settings, 3_600, undefined)[0]?.split(';')[0] ?? ''
      })
    return { head: await cookieOf(head.id), teacher: await cookieOf((teachers[0] as { id: string }).id) }
  })
}

const common = (method: string, path: string, cookie: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\nuser-agent: bench\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}`

export const get = (path: string, cookie = '') => `${common('GET', path, cookie)}\r\n`
export const post = (path: string, cookie: string, body: object) => {
  const text = JSON.stringify(body)
  return `${common('POST', path, cookie)}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

let written = 0
/** A bulk of marks with new values, so that each is a change. */
function bulk(cookie: string, assessmentId: string | undefined, pupils: Marked['pupils']): string {
  written += 1
  const grades = pupils.map(({ id }, seat) => ({ studentId: id, score: ((written + seat) % 197) / 2 }))
  return post('/api/grades/bulk', cookie, { assessmentId, grades })
}

/** Bulks of forty marks for the first class of the newest year. */
export function bulkRequests(size: Size, cookie: string, count: number): string[] {
  const { markedNow } = benchSchool(size)
  const own = markedNow.filter(({ group }) => group.id === markedNow[0]?.group.id)
  const assessments = own.flatMap((marked) => marked.assessments.map(({ id }) => ({ id, pupils: marked.pupils })))
  return Array.from({ length: count }, () => {
    const { id, pupils } = assessments[(written + 1) % assessments.length] as (typeof assessments)[number]
    return bulk(cookie, id, pupils)
  })
}

/** Writes one mark of the newest year, so that the server must compute its kept results anew. */
export function touchRequest(size: Size, cookie: string): string {
  const { assessments, pupils } = benchSchool(size).markedNow[0] as Marked
  return bulk(cookie, assessments[0]?.id, pupils.slice(0, 1))
}

/** Requests for the results of every class in every term of the newest year. */
export const classTermRequests = (size: Size, cookie: string) =>
  benchSchool(size).markedNow.map(({ group, term }) =>
    get(`/api/calculations/class-term?studentGroupId=${group.id}&termId=${term.id}`, cookie),
  )

export const classYearRequests = (size: Size, cookie: string) => {
  const { year, rows } = benchSchool(size)
  return rows.student_group
    .filter(({ academic_year_id }) => academic_year_id === year.id)
    .map(({ id }) => get(`/api/calculations/class-year?studentGroupId=${id}&academicYearId=${year.id}`, cookie))
}
