import { AuditReport, DisagreementReason, FileTally, Tally } from '@markbook/shared/contract/audit'
import { limits } from '@markbook/shared/limits'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { z } from 'zod'
import type { Witness } from './audit.heads.ts'
import { type Continuity, KeptHead, type Restored } from './audit.kept.ts'
import type { Disagreement } from './audit.rows.ts'
import type { Audit } from './audit.ts'

/**
 * All results of an audit of a school. `head`: the end of its history; `kept`: the head of an earlier audit, and what became of it;
 * `restored`: the last restore, if it was in the last month.
 */
export type Found = Audit & {
  head: KeptHead | null
  kept: { is: Continuity; at: string | null }
  restored: Restored | null
  witnesses: readonly Witness[]
}

/**
 * Whether somebody must look: a row or file is contradicted, the history is not as it was written, or another node knows another history.
 */
export const isBad = ({
  marks,
  others,
  files,
  wrongCount,
  kept,
  witnesses,
}: Omit<Found, 'disagreements' | 'wrong' | 'head' | 'restored'>): boolean =>
  marks.contradicted + others.contradicted + files.swapped + wrongCount > 0 ||
  kept.is === 'other' ||
  witnesses.some(({ is }) => is === 'other')

const Told = z.object({
  values: z.record(z.string(), z.unknown()).nullable(),
  actor: z.string().nullable(),
  at: z.number(),
  node: z.string(),
})

/** What is stored of the results: the first findings, with the values that differ. */
export const Verdict = z.object({
  marks: Tally,
  others: Tally,
  files: FileTally,
  wrongCount: z.int(),
  head: KeptHead.nullable(),
  kept: z.object({ is: AuditReport.shape.before, at: z.string().nullable() }),
  restored: z.object({ at: z.string(), from: z.string().nullable() }).nullable(),
  witnesses: AuditReport.shape.witnesses,
  disagreements: z.array(
    z.object({
      entity: z.string().refine((entity): entity is Replicated => Object.hasOwn(descriptions, entity)),
      row_id: z.string(),
      why: DisagreementReason,
      here: z.record(z.string(), z.unknown()).nullable(),
      said: Told.nullable(),
      by: z.object({ actor: z.string().nullable(), at: z.number() }).nullable(),
    }),
  ),
  wrong: z.array(
    z.object({
      kind: z.enum(['chain', 'signature']),
      node: z.string().nullable(),
      at: z.string().nullable(),
      entries: z.array(z.object({ entity: z.string(), row_id: z.string() })),
    }),
  ),
})
export type Verdict = z.infer<typeof Verdict>

/** For both sides, the columns in which they differ; all columns where none differs, and only the author or the time is another. */
export function differing({ here, said }: Pick<Disagreement, 'here' | 'said'>): [Disagreement['here'], Disagreement['here']] {
  const told = said?.values
  if (!here || !told) return [here, told ?? null]
  const columns = Object.keys(here).filter((column) => JSON.stringify(here[column]) !== JSON.stringify(told[column]))
  const shown = columns.length > 0 ? columns : Object.keys(here)
  const pick = (values: Readonly<Record<string, unknown>>) => Object.fromEntries(shown.map((column) => [column, values[column] ?? null]))
  return [pick(here), pick(told)]
}

const cut = (values: Disagreement['here']) =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, limits.audit.findingLength) : value]),
  )

export function verdictToText(found: Found): string {
  const verdict: z.input<typeof Verdict> = {
    ...found,
    witnesses: found.witnesses.map(({ name, side, is }) => ({ name, side, is })),
    disagreements: found.disagreements.slice(0, limits.audit.findingsPerRun).map((each) => {
      const [here, told] = differing(each)
      return { ...each, here: cut(here), said: each.said && { ...each.said, values: cut(told) } }
    }),
    wrong: found.wrong
      .slice(0, limits.audit.findingsPerRun)
      .map((each) => ({ ...each, entries: each.entries.map(({ entity, row_id }) => ({ entity, row_id })) })),
  }
  // Parsing leaves out fields that the schema does not have.
  return JSON.stringify(Verdict.parse(verdict))
}
