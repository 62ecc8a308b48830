import type { Row } from '@markbook/shared/tables/tables'
import type { FileTable } from '@markbook/sync/protocol/files'
import type { Carried } from '@markbook/sync/protocol/page'
import type { ReadTx } from '../../store/tx.ts'
import { peopleIn } from '../scope/people.ts'
import { scopeOf, within } from '../scope/scope.ts'
import type { NamedFile } from './named.ts'
import { type RowOfFile, rowsOfFiles } from './queue.ts'

type Peer = Pick<Row<'sync_peer'>, 'kind' | 'school_id' | 'user_id'>
type FileKey = { table: FileTable; id: string }
export const keyOf = ({ table, id }: FileKey) => `${table} ${id}`

/** The files of those rows that the child may hold, by table and id. For the child no other file exists. */
export async function filesInScope(tx: ReadTx, peer: Peer, asked: readonly FileKey[]): Promise<Map<string, NamedFile>> {
  const school = peer.school_id as string
  const scope = await scopeOf(tx, peer)
  const people = asked.some(({ table }) => table === 'user_profile') ? await peopleIn(tx, school, scope) : new Set<string>()
  const rows = (await rowsOfFiles(tx, school, asked)).filter(({ table, id }) => {
    if (table === 'user_profile') return people.has(id)
    return table !== 'school' || id === school
  })
  const kept = new Set((await within(tx, school, scope, rows.map(carried))).map(({ table, state }) => `${table} ${state.id}`))
  return new Map(rows.flatMap((row) => (row.file && kept.has(keyOf(row)) ? [[keyOf(row), row.file]] : [])))
}

const carried = ({ table, id, values }: RowOfFile) => ({ table, state: { id, values } }) as unknown as Carried
