import { type Clock, systemClock } from '@markbook/shared/clock'
import { type IdSource, naturalId } from '@markbook/shared/ids'
import { people, stBrigids } from '@markbook/shared/story/people'
import { class3B, maths, michaelmas } from '@markbook/shared/story/school-year'
import { loadStory } from '../../cli/seed/seed.ts'
import { cookieName, sessionCookies } from '../../http/cookies.ts'
import { startSession } from '../../http/sessions.ts'
import { keysOf } from '../../http/tokens.ts'
import { openCentralStore, openSchoolStore, type Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'

export const SECRET = 'a secret that only the tests of durability know'

/** Where the database of a test is: a folder, or the address of one on Postgres. */
export type Where = { folder: string } | { url: string }

export const settingsOf = (where: Where, folder: string): Record<string, string> => ({
  DATA_DIR: folder,
  SESSION_SECRET: SECRET,
  ...('url' in where && { DATABASE_URL: where.url }),
})

/** `beside`: while the server of this database runs. */
export function openAt(where: Where, newId: IdSource, { beside = false, clock = systemClock }: { beside?: boolean; clock?: Clock } = {}) {
  const options = { clock, newId, beside }
  return 'url' in where
    ? openCentralStore(where.url, { ...options, role: 'centre' })
    : openSchoolStore(where.folder, { ...options, role: 'school' })
}

/** What Mrs Okafor marks: her session, and assessments that every one of these pupils sits. */
export type Marking = { cookie: string; assessments: readonly string[]; pupils: readonly string[] }

/** Mrs Okafor's Cookie header, of a new session. */
export async function signIn(tx: WriteTx): Promise<string> {
  const session = await startSession(tx, people.okafor.id, keysOf(SECRET))
  const cookies = sessionCookies(session, { name: cookieName('sb', 'local'), secure: false }, 60, undefined)
  return cookies.map((cookie) => cookie.split(';')[0]).join('; ')
}

/** The story, with more pupils in 3B and assessments that nobody has a mark in yet. */
export async function prepareMarking(store: Store, { pupils = 120, assessments = 6 } = {}): Promise<Marking> {
  await loadStory(store)
  return store.write(asSystem(), async (tx) => {
    const students = await tx.insert(
      'student',
      Array.from({ length: pupils }, (_, at) => ({
        id: tx.newId(),
        school_id: stBrigids,
        first_name: 'Pupil',
        last_name: `Number ${at}`,
        gender: 'other' as const,
        enrollment_date: '2025-09-01',
        is_active: true,
      })),
    )
    await tx.insert(
      'enrolment',
      students.map(({ id }) => ({
        id: naturalId('enrolment', id, class3B.academic_year_id),
        school_id: stBrigids,
        student_id: id,
        student_group_id: class3B.id,
        academic_year_id: class3B.academic_year_id,
        enrolled_at: tx.now,
      })),
    )
    const papers = await tx.insert(
      'assessment',
      Array.from({ length: assessments }, (_, at) => ({
        id: tx.newId(),
        school_id: stBrigids,
        term_id: michaelmas.id,
        subject_id: maths.id,
        title: `Paper ${at}`,
        assessment_type: 'coursework' as const,
        assessment_date: michaelmas.start_date,
        max_score: 100,
        is_excluded: false,
        sort_order: 100 + at,
      })),
    )
    return {
      cookie: await signIn(tx),
      assessments: papers.map(({ id }) => id),
      pupils: students.map(({ id }) => id),
    }
  })
}

/** One request of many marks; `name` stands in the remarks of each, so that every row tells which request wrote it last. */
export type Bulk = { name: string; assessmentId: string; score: number; studentIds: readonly string[] }

let count = 0
/** Marks for some of the pupils, in one of the papers: some rows are new, some are changed. */
export function nextBulk({ assessments, pupils }: Marking, { size = 10 + ((count * 37) % 90) }: { size?: number | undefined } = {}): Bulk {
  count += 1
  const from = (count * 13) % pupils.length
  return {
    name: `bulk ${count}`,
    assessmentId: assessments[count % assessments.length] as string,
    score: count % 100,
    studentIds: [...pupils.slice(from), ...pupils.slice(0, from)].slice(0, size),
  }
}

export const bodyOf = ({ name, assessmentId, score, studentIds }: Bulk) => ({
  assessmentId,
  grades: studentIds.map((studentId) => ({ studentId, score, remarks: name })),
})

export const gradeIds = ({ assessmentId, studentIds }: Bulk) => studentIds.map((studentId) => naturalId('grade', assessmentId, studentId))
