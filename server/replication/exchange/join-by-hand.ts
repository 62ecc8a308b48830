import { replicationFailures } from '@markbook/shared/contract/replication'
import { and, eq, isNull, ne } from 'drizzle-orm'
import type { Config } from '../../config.ts'
import type { Services } from '../../http/services.ts'
import { mayBeServer } from '../../network/reach.ts'
import { laptopOwner } from '../../store/laptop.ts'
import type { ReadTx } from '../../store/tx.ts'
import { parentsOf } from '../identity/enrolment.ts'
import { trustAuthority, trustedAuthority, untrustedAt } from '../identity/trust.ts'
import { overNetwork } from '../line/network.ts'
import { LineFailure } from '../line/parent-line.ts'
import { joinParent } from '../upstream/join.ts'
import type { UpstreamStatus } from '../upstream/upstream-status.ts'

/** What a person typed. `fingerprint`: of the certificate authority that they compared and trust. */
type Typed = { address: string; code: string; fingerprint?: string | undefined }
type Kind = 'school' | 'laptop'

/**
 * Joins a parent for a person in the app or in the window of the teachers' program, and returns its address. Throws `sync.bad_address`,
 * `sync.insecure_address`, `sync.no_answer`, `sync.not_trusted` with the fingerprint to compare, and `sync.not_let_in` with the parent's
 * message.
 */
export async function joinByHand(services: Services, { address: typed, code, fingerprint }: Typed, kind: Kind): Promise<string> {
  const address = addressOf(typed)
  if (!(await mayBeServer(address))) throw replicationFailures.badAddress()
  await demandTrust(services, address, fingerprint)
  const carry = overNetwork(new AbortController().signal, () => trustedAuthority(services.config.dataDir))
  try {
    await joinParent(services, { url: address.origin, code, kind }, carry)
  } catch (error) {
    if (!(error instanceof LineFailure)) throw error
    if (error.code !== 'line') throw replicationFailures.notLetIn({ message: error.message })
    services.log.warn({ address: address.origin, reason: error.message }, 'no answer to join')
    throw replicationFailures.noAnswer()
  }
  await services.replication?.refresh()
  return address.origin
}

function addressOf(typed: string): URL {
  const text = typed.trim()
  const full = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  const url = URL.canParse(full) ? new URL(full) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw replicationFailures.badAddress()
  return url
}

/** Trusts the parent's own authority once the fingerprint was sent back, which a person compared. */
async function demandTrust({ config }: Services, address: URL, fingerprint: string | undefined): Promise<void> {
  const authority = await untrustedAt(address, trustedAuthority(config.dataDir))
  if (authority === undefined) return
  if (!authority) throw replicationFailures.noAnswer()
  if (authority.fingerprint !== fingerprint)
    throw replicationFailures.notTrusted({ issues: [{ path: 'fingerprint', message: authority.fingerprint }] })
  trustAuthority(config.dataDir, authority)
}

/** `course`: the state of the running replication; null where none runs. */
type Here = { role: Config['role']; course: UpstreamStatus | null }

/** Whether `demandMayJoin` would let this node join a parent. */
export async function mayJoin(tx: ReadTx, here: Here): Promise<boolean> {
  if (await isCentre(tx, here)) return false
  const [parent] = await parentsOf(tx)
  return !parent || isShutOut(here)
}

/**
 * As what this node may join, and at which address; without `typed` the known parent's. A school's server has one parent, a laptop may have
 * a second (sync.md, «Topology»). Throws where this node joins nobody, and where it has joined and was not revoked.
 */
export async function demandMayJoin(tx: ReadTx, here: Here, typed: string | undefined): Promise<{ kind: Kind; address: string }> {
  if (await isCentre(tx, here)) throw replicationFailures.joinsNobody()
  const [parent] = await parentsOf(tx)
  const kind = (await laptopOwner(tx)) === null ? 'school' : 'laptop'
  if (parent && !isShutOut(here) && (kind === 'school' || typed === undefined))
    throw replicationFailures.joinedAlready({ message: `This server has joined ${parent.name} already. Leave that first.` })
  const address = typed ?? parent?.url
  if (!address) throw replicationFailures.badAddress()
  return { kind, address }
}

const isShutOut = ({ course }: Here) => course?.notice === 'revoked'

/** Whether this node is a centre: on Postgres, or where servers of schools have joined it. */
async function isCentre({ db, t: { sync_peer } }: ReadTx, { role }: Here): Promise<boolean> {
  if (role === 'centre') return true
  const isSchool = and(eq(sync_peer.side, 'child'), ne(sync_peer.kind, 'laptop'), isNull(sync_peer.revoked_at))
  return (await db.$count(sync_peer, isSchool)) > 0
}
