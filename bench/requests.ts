import { cookieName, sessionCookies } from '@markbook/server/http/cookies'
import { startSession } from '@markbook/server/http/sessions'
import { keysOf } from '@markbook/server/http/tokens'
import { openCentralStore, openSchoolStore } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { present } from './fill.ts'
import { type At, SECRET } from './processes.ts'
import { benchSchool, type Marked, type Size } from './school.ts'

/** The Cookie headers of two people of the school: the head, and the class teacher of its first class. */
export type Cookies = { head: string; teacher: string }

/** Sessions begun beside the server, before it starts: sign-in is not what is measured. */
export async function signIn(size: Size, at: At): Promise<Cookies> {
  const { head, teachers } = benchSchool(size)
  const options = { ...present, role: 'school' as const }
  const store = await ('folder' in at ? openSchoolStore(at.folder, options) : openCentralStore(at.url, options))
  const cookieOf = (userId: string) =>
    store.write(asSystem(), async (tx) => {
      const session = await startSession(tx, userId, keysOf(SECRET))
      const settings = { name: cookieName('sb', 'local'), secure: false }
      return sessionCookies(session, settings, 3_600, undefined)[0]?.split(';')[0] ?? ''
    })
  const cookies = { head: await cookieOf(head.id), teacher: await cookieOf((teachers[0] as { id: string }).id) }
  await store.close()
  return cookies
}

const common = (method: string, path: string, cookie: string) =>
  `${method} ${path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\nuser-agent: bench\r\n${cookie ? `cookie: ${cookie}\r\n` : ''}`

export const get = (path: string, cookie = '') => `${common('GET', path, cookie)}\r\n`
export const post = (path: string, cookie: string, body: object) => {
  const text = JSON.stringify(body)
  return `${common('POST', path, cookie)}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

let written = 0
/** Marks for the first class of the newest year, forty at a time; never the marks that are there already. */
export function bulkRequests(size: Size, cookie: string, count: number): string[] {
  const school = benchSchool(size)
  const own = school.markedNow.filter(({ group }) => group.id === school.markedNow[0]?.group.id)
  const assessments = own.flatMap((marked) => marked.assessments.map(({ id }) => ({ id, pupils: marked.pupils })))
  return Array.from({ length: count }, () => {
    written += 1
    const { id, pupils } = assessments[written % assessments.length] as (typeof assessments)[number]
    const grades = pupils.map((pupil, seat) => ({ studentId: pupil.id, score: ((written + seat) % 197) / 2 }))
    return post('/api/grades/bulk', cookie, { assessmentId: id, grades })
  })
}

/** One mark of the newest year, after which no result that the server keeps is of now. */
export function touchRequest(size: Size, cookie: string): string {
  const { assessments, pupils } = benchSchool(size).markedNow[0] as Marked
  written += 1
  const grades = [{ studentId: pupils[0]?.id, score: (written % 197) / 2 }]
  return post('/api/grades/bulk', cookie, { assessmentId: assessments[0]?.id, grades })
}

/** The results of every class in every term of the newest year. */
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
