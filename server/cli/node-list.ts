import type { SyncNode } from '@markbook/shared/contract/replication.rows'
import type { Row } from '@markbook/shared/tables/tables'
import type { Successor } from '../replication/identity/nodes.ts'
import { nodeOwnerText } from './replication-words.ts'
import { columns, WIDTH } from './table.ts'
import { counted, lasting, shortDay, shortMoment } from './words.ts'

/**
 * Another node. `person`: the owner of a laptop; `school`: its name, null while its rows have not arrived. `waits`: the rows still to be
 * sent there, null before the first full copy. `isNamesake`: another node has the same name.
 */
export type ListedNode = {
  peer: Row<'sync_peer'>
  person: SyncNode['user']
  school: string | null
  waits: { rows: number; oldest: string | null } | null
  successor: Successor | null
  isNamesake: boolean
}

export const NO_NODES =
  'No other computer takes part yet.\nmarkbook node invite prints a code for one, and markbook join takes the code there.'

/** Lines with name, kind and time of the last contact in columns; below each node further facts. `now` in ms. */
export function nodesText(nodes: readonly ListedNode[], { hasSchools, now }: { hasSchools: boolean; now: number }): string[] {
  const name = Math.max(...nodes.map(({ peer }) => Math.min([...peer.name].length, LONGEST_NAME)), HEAD[0].length)
  const widths = [name, WIDTH - name - STAMP - 4, STAMP]
  const ofNode = (node: ListedNode) => {
    const { last_seen_at } = node.peer
    return [
      ...columns([node.peer.name, whatOf(node, hasSchools), last_seen_at ? shortMoment(last_seen_at) : 'never'], widths),
      ...furtherOf(node, now).flatMap((line) => columns(['', line], [name, WIDTH - name - 2])),
    ]
  }
  return [...columns(HEAD, widths), ...nodes.flatMap(ofNode)]
}
const HEAD = ['NAME', 'WHAT IT IS', 'LAST HEARD'] as const
const LONGEST_NAME = 24
/** The length of the longest time. */
const STAMP = 18

/** `hasSchools`: there are several schools here, so that the line of a laptop names its school. */
function whatOf({ peer: { side, kind }, person, school }: ListedNode, hasSchools: boolean): string {
  const of = school ?? 'a school whose rows have not come yet'
  return nodeOwnerText({ side, kind, user: person }, kind === 'laptop' && !hasSchools ? null : of)
}

function furtherOf(node: ListedNode, now: number): string[] {
  const { peer, successor, isNamesake } = node
  return [
    ...(peer.url ? [peer.url] : []),
    `joined ${shortDay(peer.enrolled_at)}; ${stateOf(node, now)}`,
    ...(successor ? [succeeded(successor)] : []),
    ...(isNamesake ? [`id ${peer.id}`] : []),
  ]
}

function stateOf(
  { peer: { side, revoked_at, wipe_asked_at, wiped_at, last_seen_at, their_cursor }, waits }: ListedNode,
  now: number,
): string {
  if (wiped_at) return `erased on ${shortMoment(wiped_at)}, as asked on ${shortMoment(wipe_asked_at as string)}`
  if (wipe_asked_at) return `to be erased, asked on ${shortMoment(wipe_asked_at)}`
  if (revoked_at) return `${side === 'parent' ? 'left' : 'revoked'} on ${shortMoment(revoked_at)}`
  if (waits === null) return last_seen_at ? 'has not copied everything yet' : 'has copied nothing yet'
  const isParent = side === 'parent'
  if (waits.rows === 0 && isParent) return their_cursor === null ? 'nothing has come from there yet' : 'nothing waits to be sent'
  if (waits.rows === 0) return 'nothing waits for it'
  const since = waits.oldest ? `, for ${lasting(now - Date.parse(waits.oldest))} now` : ''
  return `${counted(waits.rows, 'change')} ${waits.rows === 1 ? 'waits' : 'wait'} ${isParent ? 'to be sent' : 'for it'}${since}`
}

const succeeded = ({ name, at, bothHeard }: Successor) =>
  bothHeard
    ? `${name} began from this one ${shortMoment(at)}, and both are heard: one is a copy. Revoke the one that should not be.`
    : `began anew as ${name} ${shortMoment(at)}, and was not heard since: revoke this one when all is well`
