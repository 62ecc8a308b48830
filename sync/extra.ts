import type { Values } from './merge/state.ts'

/**
 * What a row itself cannot hold, kept beside it (docs/design/replication.md, «Stored»):
 * - `last`: the values of a deleted row;
 * - `claims`: by unit, what was written where a rule between rows lets something else stand in the row;
 * - `unknown`: by unit, columns of a newer schema.
 */
export type Extra = { last?: Values; claims?: Readonly<Record<string, Values>>; unknown?: Readonly<Record<string, Values>> }

/** What is kept beside a row after a local write of `units`, whose claims end. `last`: the values of a deleted row, else null. */
export function extraAfter(before: Extra | null, { units, last }: { units: ReadonlySet<string>; last: Values | null }): Extra {
  const { unknown, claims = {} } = before ?? {}
  const left = Object.fromEntries(Object.entries(claims).filter(([unit]) => !units.has(unit)))
  const claimed = Object.assign({}, ...Object.values(claims)) as Values
  // A unit that an older program did not know, and that was written now, is known.
  const beyond = unknown && Object.fromEntries(Object.entries(unknown).filter(([unit]) => !units.has(unit)))
  return { ...(last ? { last: { ...last, ...claimed } } : { claims: left }), ...(beyond && { unknown: beyond }) }
}

export function extraToText({ last, claims, unknown }: Extra): string | null {
  const has = (record: object | undefined) => record && Object.keys(record).length > 0
  const kept = { ...(last && { last }), ...(has(claims) && { claims }), ...(has(unknown) && { unknown }) }
  return has(kept) ? JSON.stringify(kept) : null
}

export const textToExtra = (text: string | null): Extra | null => (text === null ? null : (JSON.parse(text) as Extra))
