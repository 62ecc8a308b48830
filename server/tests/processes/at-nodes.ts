import assert from 'node:assert/strict'
import { naturalId } from '@markbook/shared/ids'
import { mathsExam } from '@markbook/shared/story/marks'
import { type PersonName, people, stBrigids } from '@markbook/shared/story/people'
import { textToChanges } from '@markbook/shared/tables/changes'
import type { HistoryEntry } from '@markbook/sync/protocol/entries'
import { eq } from 'drizzle-orm'
import { type Verdict, verdictsOn } from '../../replication/journal/signed-history.ts'
import { asSystem } from '../../store/tx.ts'
import { type RawRow, rawRows } from '../../testing/raw-rows.ts'
import { SECRET } from '../durability/marking.ts'
import { ask } from '../durability/teacher.ts'
import { type Node, until } from './network.ts'

/** What people do and see at a server in a process of its own, whichever version it is: through its console, its interface, its database. */

export const signIn = (node: Node, name: PersonName) => signInAs(node, people[name].email, { port: () => node.port })

/** Somebody's session at a node, as they sign in with a code of its console; `at`: where they ask it, and its authority where it speaks https. */
export async function signInAs(node: Node, email: string, at: { port(): number | undefined; ca?: string }): Promise<string> {
  const [, token] = /^ {4}(\d+)$/m.exec(await node.done('code', email)) ?? []
  const port = at.port()
  assert(port !== undefined, `${node.name} is not running`)
  const to = { port, ...(at.ca !== undefined && { ca: at.ca }) }
  const answer = await ask({ ...to, method: 'POST', path: '/api/auth/otp/verify', body: { email, token } })
  assert.equal(answer.status, 200, answer.text)
  return answer.cookies
}

type Status = { state: string; sentence: string; waiting_marks: number; obstacle?: string | null }
export const statusAt = async (node: Node, cookie: string): Promise<Status> =>
  JSON.parse((await ask({ port: node.port as number, path: '/api/sync/status', cookie })).text)
export const says = (node: Node, cookie: string, pattern: RegExp) =>
  until(async () => pattern.test((await statusAt(node, cookie)).sentence), `${node.name} saying ${pattern}`)

export async function enter(node: Node, cookie: string, pupil: { id: string }, score: number): Promise<void> {
  const body = { assessmentId: mathsExam.id, grades: [{ studentId: pupil.id, score }] }
  const answer = await ask({ port: node.port as number, method: 'POST', path: '/api/grades/bulk', cookie, body })
  assert.equal(answer.status, 200, answer.text)
}

/** The status of the answer. */
export const patched = async (node: Node, cookie: string, path: string, body: object): Promise<number> =>
  (await ask({ port: node.port as number, method: 'PATCH', path, cookie, body })).status

const gradeOf = (pupil: { id: string }) => naturalId('grade', mathsExam.id, pupil.id)
const scoresAt = (node: Node) =>
  node.look((store) =>
    store.read(asSystem(), async (tx) => {
      const rows = await tx.db.select().from(tx.t.grade).where(eq(tx.t.grade.assessment_id, mathsExam.id))
      return Object.fromEntries(rows.map(({ student_id, score }) => [student_id, Number(score)]))
    }),
  )
export const arrives = (at: Node, pupil: { id: string }, score: number) =>
  until(async () => (await scoresAt(at))[pupil.id] === score, `${score} at ${at.name}`)

export async function tableAt(node: Node, name: string): Promise<RawRow[]> {
  const { [name]: rows } = await rawRows(node.where)
  if (!rows) throw new Error(`${node.name} has no table ${name}`)
  return rows
}

/** What the history says of a mark, in the order in which it happened. */
export async function historyAt(node: Node, pupil: { id: string }): Promise<HistoryEntry[]> {
  const entries = (await tableAt(node, 'history')) as unknown as HistoryEntry[]
  return entries
    .filter(({ entity, row_id }) => entity === 'grade' && row_id === gradeOf(pupil))
    .map((entry) => ({ ...entry, node_seq: Number(entry.node_seq) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
}
export const scoreIn = ({ changes }: HistoryEntry) => Number(textToChanges(changes)['score']?.after)

/** Whose signature the last entry of a mark bears at a node. */
export async function signerAt(node: Node, pupil: { id: string }): Promise<Verdict | undefined> {
  const entry = (await historyAt(node, pupil)).at(-1) as HistoryEntry
  const verdicts = await node.look((store) => store.read(asSystem(), (tx) => verdictsOn(tx, stBrigids, SECRET, [entry])))
  return [...verdicts.values()][0]
}
