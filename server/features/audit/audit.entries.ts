import { toInstant } from '@markbook/shared/clock'
import type { AuditEntry } from '@markbook/shared/contract/audit'
import { limits } from '@markbook/shared/limits'
import { parsedDetail } from '@markbook/sync/journal'
import type { ReadTx } from '../../store/tx.ts'
import { namesOf } from '../replication/naming.ts'
import { peopleNamed } from '../replication/people.ts'
import { type Here, nodeNames } from '../replication/replication.queries.ts'
import { entriesByIds, entriesOfSpan, type PagePosition, rowsOfStudent } from './audit.queries.ts'

export type Filters = {
  actorId?: string | undefined
  studentId?: string | undefined
  entity?: string | undefined
  from?: string | undefined
  to?: string | undefined
}
type PageQuery = Filters & { before?: string | undefined; limit?: number | undefined }
export type EntriesPage = { entries: AuditEntry[]; next: string | null; back_to: string | null }

const DAY = 86_400_000
const placeOf = (text: string): PagePosition => ({ at: text.slice(0, 24), id: text.slice(25) })

/** One search of a school's writes: reads at most `limits.audit.entries.perSearch`, and returns those that match the filters. */
export async function entriesPage(tx: ReadTx, here: Here, school: string, asked: PageQuery): Promise<EntriesPage> {
  const { actorId, studentId, entity, from, to, before, limit = limits.audit.entries.default } = asked
  const isFiltered = actorId !== undefined || studentId !== undefined || entity !== undefined
  const looked = isFiltered ? limits.audit.entries.perSearch : limit
  const span = {
    school,
    from: from === undefined ? null : toInstant(Date.parse(from)),
    until: to === undefined ? null : toInstant(Date.parse(to) + DAY),
    before: before === undefined ? null : placeOf(before),
    limit: looked,
  }
  const rows = studentId === undefined ? null : await rowsOfStudent(tx, school, studentId)
  const seen = await entriesOfSpan(tx, span, studentId ?? null)
  const passed: string[] = []
  let last: PagePosition | undefined
  for (const each of seen) {
    if (passed.length === limit) break
    last = each
    if (actorId !== undefined && each.actor_id !== actorId) continue
    if (entity !== undefined && each.entity !== entity) continue
    // SQLite returns 0 and 1 for booleans.
    if (rows && !rows.has(each.row_id) && !Number(each.names_pupil)) continue
    // Older entries of a row that was deleted since do not name the pupil, so its id is remembered.
    rows?.add(each.row_id)
    passed.push(each.id)
  }
  const isEnd = seen.length < looked && last?.id === seen.at(-1)?.id
  const entries = await toldEntries(tx, here, school, passed)
  return { entries, next: isEnd || !last ? null : `${last.at}~${last.id}`, back_to: last?.at ?? null }
}

/** The entries in this order, without those that repeat another entry under a new stamp. */
async function toldEntries(tx: ReadTx, here: Here, school: string, ids: readonly string[]): Promise<AuditEntry[]> {
  if (ids.length === 0) return []
  const byId = new Map((await entriesByIds(tx, { school, ids: JSON.stringify(ids) })).map((entry) => [entry.id, entry]))
  const entries = ids.flatMap((id) => byId.get(id) ?? []).filter(({ detail }) => detail === null || !parsedDetail(detail)?.again)
  const nameOf = await namesOf(tx, school, entries)
  const nodes = await nodeNames(tx, here)
  const person = await peopleNamed(
    tx,
    school,
    entries.map(({ actor_id }) => actor_id),
  )
  return entries.map((entry) => ({
    id: entry.id,
    at: entry.at,
    actor: person(entry.actor_id),
    node_name: nodes.get(entry.node_id) ?? null,
    entity: entry.entity,
    row_id: entry.row_id,
    name: nameOf(entry),
    action: entry.action,
    changes: entry.changes,
  }))
}
