import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeAtomically } from '../../atomic-write.ts'
import { incarnations } from '../../store/node.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

/** The end of the history that this database wrote, at a moment (`at`): the number, the place in the feed, and the head of the chain. */
export const KeptHead = z.object({ node: z.string(), seq: z.int(), head: z.string(), at: z.string() })
export type KeptHead = z.infer<typeof KeptHead>

/** A restore by `markbook restore`: when it was, and when that backup was made. */
export type Restored = { at: string; from: string | null }

/**
 * Whether the history here still has a head that it had when it was audited before. `first`: it was never audited. `same`: it has.
 * `restored`: it has not, and the history says that a backup was restored since by `markbook restore`. `other`: it has not, and nothing
 * says why: entries were changed or taken out and the chain computed anew, or the database was put back outside the program.
 */
export type Continuity = 'first' | 'same' | 'restored' | 'other'

const lastOwn = rowsBy(
  'history',
  { school: 'school_id' },
  { columns: ['seq', 'head'], where: { source_id: null }, orderBy: [{ desc: 'seq' }], limit: 1 },
)

/** The present end of what this database wrote in a school; null before it wrote anything. */
export async function headHere(tx: ReadTx, school: string): Promise<KeptHead | null> {
  const [last] = await lastOwn(tx, { school })
  return last ? { ...last, node: (await incarnations(tx))[0] as string, at: tx.now } : null
}

const ownAt = rowsBy(
  'history',
  { school: 'school_id', seq: 'seq', head: 'head' },
  { columns: ['id'], where: { source_id: null }, limit: 1 },
)

const beginnings = rowsBy(
  'history',
  { school: 'school_id', numbers: { in: 'near_id' } },
  { columns: ['at', 'row_id', 'changes'], where: { entity: 'node', action: 'create' } },
)

/** By number of this database, the restore with which the number began. */
async function restores(tx: ReadTx, school: string): Promise<Map<string, Restored>> {
  const found = await beginnings(tx, { school, numbers: JSON.stringify(await incarnations(tx)) })
  return new Map(
    found.flatMap(({ at, row_id, changes }) => {
      const from = changes['restored_from']?.after
      return from === undefined ? [] : [[row_id, { at, from: typeof from === 'string' ? from : null }] as const]
    }),
  )
}

/** The last restore of this database; null where it was never restored. */
export async function lastRestore(tx: ReadTx, school: string): Promise<Restored | null> {
  const all = [...(await restores(tx, school)).values()].sort((a, b) => (a.at < b.at ? 1 : -1))
  return all[0] ?? null
}

/** What became of a kept head. If its number is still the present one no restore has ended it, whatever else the history says. */
export async function continuityOf(tx: ReadTx, school: string, kept: KeptHead | null): Promise<Continuity> {
  if (!kept) return 'first'
  const { seq, head, node } = kept
  if ((await ownAt(tx, { school, seq, head })).length > 0) return 'same'
  const [current] = await incarnations(tx)
  return current !== node && (await restores(tx, school)).has(current as string) ? 'restored' : 'other'
}

/**
 * The heads kept beside the database, by school. Whoever puts back the database alone, or writes to it over the network, leaves them as
 * they are.
 */
const Heads = z.record(z.string(), KeptHead)
const fileIn = (dataDir: string) => join(dataDir, 'audited-heads.json')

/** Empty where there is no such file, or it cannot be read: then nothing is known. */
export function headsBeside(dataDir: string): Record<string, KeptHead> {
  try {
    return Heads.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch {
    return {}
  }
}

/** A centre may run where it cannot write: then only its database has the heads. */
export function keepBeside(dataDir: string, school: string, head: KeptHead): void {
  try {
    writeAtomically(fileIn(dataDir), `${JSON.stringify({ ...headsBeside(dataDir), [school]: head })}\n`)
  } catch {}
}
