import { toInstant } from '@markbook/shared/clock'
import type { AuditReport } from '@markbook/shared/contract/audit'
import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import { type Ended, endedRuns, lastRun } from '../../replication/audit/audit.runs.ts'
import { codeOfHead } from '../../replication/audit/head-code.ts'
import type { ReadTx } from '../../store/tx.ts'
import { namesOf } from '../replication/naming.ts'
import { peopleNamed } from '../replication/people.ts'

const stateOf = (run: Ended | null) => (run === null ? 'never' : run.isBad ? 'bad' : 'good')
const NOTHING = { proved: 0, untold: 0, contradicted: 0, unsigned: 0 }

/** The last run of the audit for a school, with present names. `key`: the key of the runs' seals. */
export async function reportOfAudit(tx: ReadTx, school: string, key: Buffer): Promise<AuditReport> {
  const [last = null, ...earlier] = await endedRuns(tx, school, key)
  const verdict = last?.verdict ?? null
  const disagreements = verdict?.disagreements ?? []
  const nameOf = await namesOf(tx, school, disagreements)
  const who = ({ said, by }: (typeof disagreements)[number]) => said?.actor ?? by?.actor ?? null
  const person = await peopleNamed(tx, school, disagreements.map(who))
  return {
    state: stateOf(last),
    at: last?.at ?? null,
    transactions: verdict?.head?.seq ?? 0,
    code: verdict?.head ? codeOfHead(verdict.head.head) : null,
    marks: verdict?.marks ?? NOTHING,
    others: verdict?.others ?? NOTHING,
    files: verdict?.files ?? { same: 0, unhashed: 0, absent: 0, swapped: 0 },
    broken: verdict?.wrongCount ?? 0,
    before: verdict?.kept.is ?? 'first',
    before_at: verdict?.kept.at ?? null,
    restored_at: verdict?.restored?.at ?? null,
    restored_from: verdict?.restored?.from ?? null,
    witnesses: verdict?.witnesses ?? [],
    people: stateOf(await lastRun(tx, COMMONS, key)),
    findings: disagreements.map((each) => {
      const at = each.said?.at ?? each.by?.at
      return {
        entity: each.entity,
        row_id: each.row_id,
        name: nameOf(each),
        why: each.why,
        here: each.here,
        history: each.said?.values ?? null,
        actor: person(who(each)),
        at: at === undefined ? null : toInstant(at),
      }
    }),
    earlier: earlier.slice(0, limits.audit.earlierRuns).map((run) => ({ at: run.at, state: run.isBad ? 'bad' : 'good' })),
  }
}
