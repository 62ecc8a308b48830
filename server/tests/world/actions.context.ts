import type { Replicated, Row } from '@markbook/shared/tables/tables'
import { rowsWhere } from '../../store/replica/states.ts'
import type { WriteTx } from '../../store/tx.ts'
import type { Chance } from './chance.ts'
import type { Founded } from './founding.ts'

/** What somebody does at a node. `fresh` never gives the same number twice, so that every value names its write. */
export type ActionContext = { tx: WriteTx; school: Founded; chance: Chance; fresh(): number; actor: string }
export type Action = (context: ActionContext) => Promise<unknown>

export const all = async <T extends Replicated>({ tx, school }: ActionContext, table: T): Promise<Row<T>[]> =>
  ((await rowsWhere(tx, table, school.id)) as unknown as (Row<T> & { id: string })[]).sort((a, b) => (a.id < b.id ? -1 : 1))
export async function some<T extends Replicated>(
  context: ActionContext,
  table: T,
  fits: (row: Row<T>) => boolean = () => true,
): Promise<Row<T> | undefined> {
  const rows = (await all(context, table)).filter(fits)
  return rows.length > 0 ? context.chance.pick(rows) : undefined
}
export const change = async <T extends Replicated>({ tx }: ActionContext, table: T, before: Row<T> | undefined, patch: Partial<Row<T>>) =>
  before && (await tx.update(table, [{ before, patch }]))
export const remove = async <T extends Replicated>({ tx }: ActionContext, table: T, row: Row<T> | undefined) =>
  row && (await tx.remove(table, [row]))

export const CODES = ['MU', 'AR', 'PE'] as const
/** One of these that no row has in this column. */
export const free = async <T extends Replicated>(
  context: ActionContext,
  table: T,
  column: keyof Row<T>,
  from: readonly string[],
  own?: Row<T>,
) => {
  const taken = new Set((await all(context, table)).filter((row) => row !== own).map((row) => row[column]))
  const left = from.filter((each) => !taken.has(each as never))
  return left.length > 0 ? context.chance.pick(left) : undefined
}
