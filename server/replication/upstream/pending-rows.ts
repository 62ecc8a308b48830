import { COMMONS } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Carried } from '@markbook/sync/protocol/page'
import type { Peer } from '../../store/peer-row.ts'
import { readFeed, readPeople, withPeople } from '../../store/replica/feed.ts'
import { keyOfRow } from '../../store/replica/links.ts'
import type { ReadTx } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import { lastOfPage } from '../journal/history-exchange.ts'

export type News = { rows: Carried[]; to: number; people: number; isLast: boolean }

/**
 * The next rows to send: those of the school after the acknowledged number, the people whom they name, and the people who changed. A laptop
 * sends nobody because a row names them. `most`: up to this number, whatever the history of these rows weighs.
 */
export async function pendingRows(tx: ReadTx, peer: Peer, most?: number): Promise<News> {
  const school = peer.school_id as string
  const limit = limits.sync.pageRows
  const secrets = peer.user_id === null
  // What came from one parent of a laptop reaches the other without it: nobody takes from a laptop what others wrote.
  const others = peer.node_id === COMMONS ? [] : (await parentsOf(tx)).map(({ node_id }) => node_id)
  const notFrom = [peer.node_id, ...others]
  const upTo = most ?? (await lastOfPage(tx, school, { after: peer.own_seq, notFrom }))
  const own = await readFeed(tx, school, { after: peer.own_seq, limit, notFrom, upTo })
  const people = await readPeople(tx, school, { after: peer.own_people, limit, secrets })
  const named = secrets ? await withPeople(tx, own.rows, { secrets }) : own.rows
  const rows = [...new Map([...people.rows, ...named].map((row) => [keyOfRow(row), row])).values()]
  return { rows, to: own.to, people: people.to, isLast: own.isLast && people.isLast }
}
