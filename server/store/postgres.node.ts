import type { Connection } from './connection.ts'

/** An advisory lock: shared by every transaction that writes, exclusive for the one that ends an incarnation. */
const LOCK = 404_001

/** Several instances write to one database, each under the node id that it read last. */
export class NodeEnded extends Error {
  constructor(readonly current: string) {
    super('the incarnation under which this was to be written has ended')
  }
}

const CURRENT = 'select id from sync.node where ended_at is null'
const idIn = ([found]: readonly { id: string }[]): string => {
  if (!found) throw new Error('this database has no node id')
  return found.id
}

/**
 * Throws `NodeEnded` where `node` is not the present incarnation; otherwise keeps it from ending until the commit. Two statements, sent
 * together: the second sees what was committed while the first waited.
 */
export async function demandNode(connection: Connection, node: string): Promise<void> {
  const locked = connection.run('select pg_advisory_xact_lock_shared($1)', [LOCK])
  const [, found] = await Promise.all([locked, connection.rows<{ id: string }>(CURRENT, [])])
  if (idIn(found) !== node) throw new NodeEnded(idIn(found))
}

/** Waits for other writers, and blocks them until the commit. Returns the present incarnation. */
export async function writeAlone(connection: Connection): Promise<string> {
  await connection.run('select pg_advisory_xact_lock($1)', [LOCK])
  return idIn(await connection.rows<{ id: string }>(CURRENT, []))
}
