import type { Assessment } from '@markbook/shared/contract/assessments'
import type { HistoryEntry } from '@markbook/shared/contract/history'
import type { Conflict, HeldRow, RefusedWrite } from '@markbook/shared/contract/replication.rows'
import type { Group, Ledger, Write } from './ledger.ts'
import { type Account, Person, type Seat } from './person.ts'

/** Each the same person at every node that has their school: what they read must be the same everywhere. */
export type Readers = { group: Group; head: readonly Person[]; teachers: readonly (readonly Person[])[] }

/** `servers`: the centre's instances and the school. */
export const readersOf = (group: Group, servers: readonly Seat[], laptops: readonly { owner: Account; seat: Seat }[]): Readers => ({
  group,
  head: servers.map((seat) => new Person(group.head, seat)),
  teachers: laptops.map(({ owner, seat }) => [...servers, seat].map((each) => new Person(owner, each))),
})

/** The head at each server, and everybody at their laptop. */
export const everywhere = ({ head, teachers }: Readers): readonly Person[] => [...head, ...teachers.map((each) => each.at(-1) as Person)]

/** Rows of the story say of people that they wrote them, whom no version names. */
const isStoryId = (id: string) => id.startsWith('00000000-')

const queriesOf = ({ terms, subjects }: Group) => terms.flatMap((term) => subjects.map((subject) => `termId=${term}&subjectId=${subject}`))

async function pathsFor(person: Person, group: Group): Promise<string[]> {
  const paths = ['/api/students', '/api/subjects']
  for (const query of queriesOf(group)) {
    const assessments = await person.see<Assessment[]>(`/api/assessments?${query}`)
    paths.push(`/api/assessments?${query}`, `/api/grades/by-term?${query}`)
    paths.push(...assessments.filter(({ id }) => !isStoryId(id)).map(({ id }) => `/api/grades?assessmentId=${id}`))
  }
  return paths
}

/** What makes a conflict one at every node; names of computers and rights to decide are each node's own. */
const questions = async (person: Person) =>
  JSON.stringify(
    (await person.see<Conflict[]>('/api/sync/conflicts'))
      .map(({ id, entity, row_id, units, kind, reason, kept, current, at, status }) => ({
        id,
        entity,
        row_id,
        units,
        kind,
        reason,
        kept,
        current,
        at,
        status,
      }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  )

/** When a row was changed is told by the clock of the node where it was, and elsewhere by its version, which a wrong clock has moved on. */
const withoutTimes = (text: string) => text.replace(/"updated_at":"[^"]*"/g, '"updated_at":""')

/** Where nodes do not answer the same bytes for the same list. */
export async function differences(readers: readonly Readers[]): Promise<string[]> {
  const found: string[] = []
  for (const { group, head, teachers } of readers) {
    for (const everywhere of [head, ...teachers]) {
      const [first] = everywhere as [Person, ...Person[]]
      for (const path of await pathsFor(first, group))
        found.push(...differing(everywhere, path, await Promise.all(everywhere.map((each) => each.read(path).then(withoutTimes)))))
      found.push(...differing(everywhere, 'the conflicts', await Promise.all(everywhere.map(questions))))
    }
  }
  return found
}

/** The end of each where they part. */
function parting(one: string, other: string): string {
  const at = [...one].findIndex((letter, place) => letter !== other[place])
  const from = Math.max(0, at - 200)
  return [one, other].map((text) => `\n    …${text.slice(from, from + 400)}…`).join('')
}

const differing = ([first, ...others]: readonly Person[], path: string, [text = '', ...texts]: readonly string[]) =>
  others.flatMap((person, at) =>
    texts[at] === text ? [] : [`${first?.name} and ${person.name} do not see the same in ${path}:${parting(text, texts[at] ?? '')}`],
  )

/** A node that has not settled, in its own words. */
export async function unsettled(readers: readonly Readers[]): Promise<string[]> {
  const found: string[] = []
  for (const each of readers)
    for (const person of everywhere(each)) {
      const { state, sentence, waiting, held, copies, difference, obstacle } = await person.status()
      const isSettled = (state === 'up_to_date' || state === 'alone') && waiting + held + copies === 0 && !obstacle && !difference
      if (!isSettled)
        found.push(`${person.seat.name} says: ${sentence} (${JSON.stringify({ state, waiting, held, copies, obstacle, difference })})`)
    }
  return found
}

type NodeAnswers = {
  /** Of each row, the value that stands. */
  standing: Map<string, { value: string; score: number | null }>
  titles: Set<string>
  /** Values in the lists of conflicts and refusals, by row. */
  kept: Map<string, Set<unknown>>
  conflicts: Conflict[]
  refused: RefusedWrite[]
  held: HeldRow[]
  pasts: Map<string, HistoryEntry[]>
}

async function shownTo(readers: Readers, writes: readonly Write[]): Promise<NodeAnswers> {
  const [reader] = readers.head as [Person]
  const shown: NodeAnswers = {
    standing: new Map(),
    titles: new Set(),
    kept: new Map(),
    conflicts: [],
    refused: [],
    held: [],
    pasts: new Map(),
  }
  for (const person of everywhere(readers)) {
    shown.conflicts.push(...(await person.see<Conflict[]>('/api/sync/conflicts')))
    shown.refused.push(...(await person.see<RefusedWrite[]>('/api/sync/refused')))
    if (person.who === readers.group.head) shown.held.push(...(await person.see<HeldRow[]>('/api/sync/held')))
  }
  const keep = (row: string, values: Record<string, unknown> | null) => {
    const known = shown.kept.get(row) ?? new Set()
    for (const value of Object.values(values ?? {})) known.add(value)
    shown.kept.set(row, known)
  }
  for (const { row_id, kept } of shown.conflicts) keep(row_id, kept)
  for (const { row_id, value } of shown.refused) keep(row_id, value)
  for (const row of new Set(writes.map(({ row }) => row))) {
    if (row === '') continue
    const entity = writes.some((write) => write.row === row && write.kind === 'mark') ? 'grade' : 'assessment'
    shown.pasts.set(row, await reader.see<HistoryEntry[]>(`/api/history?entity=${entity}&id=${row}`))
  }
  return shown
}

/** Adds what stands, as the lists say it. */
async function standing(person: Person, group: Group, shown: NodeAnswers): Promise<void> {
  for (const query of queriesOf(group)) {
    for (const { id, title } of await person.see<Assessment[]>(`/api/assessments?${query}`)) {
      shown.standing.set(id, { value: title, score: null })
      shown.titles.add(title)
    }
    type Graded = { grades: { id: string; remarks: string | null; score: number }[] }
    for (const { grades } of await person.see<Graded[]>(`/api/grades/by-term?${query}`))
      for (const { id, remarks, score } of grades) shown.standing.set(id, { value: remarks ?? '', score })
  }
}

const before = (entries: readonly HistoryEntry[], value: string) =>
  entries.some(({ changes }) => Object.values(changes).some((each) => each.before === value))
const isTold = (entries: readonly HistoryEntry[], value: string) =>
  entries.some(({ changes }) => Object.values(changes).some((each) => each.after === value))

/** Every acknowledged write stands, or was written over by somebody who saw it, or is in a list that people see; and the history tells of it. */
export async function unaccounted(readers: Readers, ledger: Ledger): Promise<string[]> {
  const writes = ledger.writes.filter(({ group }) => group === readers.group)
  const shown = await shownTo(readers, writes)
  await standing(readers.head[0] as Person, readers.group, shown)
  return [
    ...writes.filter(({ state }) => state === 'acknowledged').flatMap((write) => lost(write, ledger, shown)),
    ...falselyAsked(writes, shown),
    ...shown.held.map(({ entity, row_id, reason }) => `a row is held: ${entity} ${row_id}, ${reason}`),
  ]
}

function lost(write: Write, ledger: Ledger, { standing, titles, kept, pasts }: NodeAnswers): string[] {
  const { kind, row, value, by, own, score } = write
  if (kind === 'assessment')
    return titles.has(value) || isTold(pasts.get(row) ?? [], value) ? [] : [`lost: ${by} made the assessment «${value}»`]
  const past = pasts.get(row) ?? []
  const stands = standing.get(row)
  const isHere = stands?.value === value && (score === null || !own || stands.score === score)
  const expected = own ? ledger.expected(kind, row) : []
  const isLast = expected[0] === write
  if (own && isLast && !expected.some((each) => each.value === stands?.value))
    return [`lost: «${value}» (${kind} ${row}), which nobody else writes; there stands «${stands?.value}»`]
  if (own && isLast && stands?.value === value && !isHere) return [`torn: «${value}» stands with ${stands?.score} in place of ${score}`]
  if (!isTold(past, value)) return [`not in the history of the centre: «${value}» (${kind} ${row})`]
  if (own || isHere || kept.get(row)?.has(value) || before(past, value)) return []
  return [`lost: «${value}» (${kind} ${row}) is nowhere; there stands «${stands?.value}»${around(past, value)}`]
}

/** Where one person alone wrote there is nothing to decide, and nothing that they may not; a refusal that was put aside by itself is a write that came by another way. */
function falselyAsked(writes: readonly Write[], { conflicts, refused, pasts }: NodeAnswers): string[] {
  const own = new Set(writes.filter((write) => write.own).map(({ row }) => row))
  const asked = conflicts.filter(({ row_id }) => own.has(row_id)).map((each) => falseConflict(each, pasts.get(each.row_id) ?? []))
  const turned = refused
    .filter(({ row_id, seen_at }) => own.has(row_id) && seen_at === null)
    .map(
      ({ code, where, value, at, refused_at, from }) =>
        `falsely refused (${code}) at ${refused_at}, ${from ? `from ${from.name}` : 'by the parent'}: ${where}, ${JSON.stringify(value)} of ${at}`,
    )
  return [...new Set([...asked, ...turned])]
}

/** The entries before and after the one that tells of a value, a line each. */
function around(past: readonly HistoryEntry[], ...values: readonly string[]): string {
  const told = past.map(
    (each) =>
      `${each.at} ${each.node_name} ${each.node.slice(-6)} ${Object.values(each.changes).map((change) => `${change.before} → ${change.after}`)}`,
  )
  const place = told.findIndex((text) => values.some((value) => text.includes(`→ ${value}`)))
  return told
    .slice(Math.max(0, place - 3), place + 2)
    .map((text) => `\n    ${text}`)
    .join('')
}

function falseConflict({ id, kind, reason, where, kept, status, at, node }: Conflict, past: readonly HistoryEntry[]): string {
  const values = Object.values(kept ?? {}).filter((value) => typeof value === 'string')
  return `a false conflict (${kind}, ${reason}, ${status}, ${id}): ${where}: ${JSON.stringify(kept)} of ${at} at ${node}${around(past, ...values)}`
}
