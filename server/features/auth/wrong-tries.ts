import { limits } from '@markbook/shared/limits'
import { networksAround } from '../../network/client-address.ts'
import { count, forget, waitFor } from '../../store/attempts.ts'
import type { WriteTx } from '../../store/tx.ts'
import type { SignInAttempt } from './codes.ts'

const { wrongPerDay, networks, pause } = limits.otp
const DAY = 86_400_000

/**
 * The methods at which wrong attempts are counted. `mail`: eight digits while a mailed code is valid; `app`: eight digits otherwise, of an
 * app or of printed codes from before they had sixteen characters; `printed`: sixteen characters.
 */
export const ways = ['mail', 'app', 'printed'] as const
export type CodeKind = (typeof ways)[number]
/** The mail address and the client. Counted by address, so that the counts do not reveal whether it has an account. */
type Tried = Pick<SignInAttempt, 'email' | 'address'>

const keys = {
  turn: (email: string) => `otp-turn:${email}`,
  inAll: (way: CodeKind, email: string) => `otp-wrong:${way} ${email}`,
  from: (way: CodeKind, email: string, network: string) => `otp-wrong:${way} ${email} ${network}`,
  pause: (email: string, network: string) => `otp-pause:${email} ${network}`,
}

/** The networks of a client, each with its limits. */
export const boundedNetworks = (address: string) =>
  networksAround(address).flatMap((network, at) => {
    const bounds = networks[at]
    return network === undefined || bounds === undefined ? [] : [{ network, ...bounds }]
  })

/**
 * Locks a row of the address until the commit, so that attempts at one account run one after the other, and each is counted before the
 * next.
 */
export const takeTurn = (tx: WriteTx, email: string) => count(tx, keys.turn(email), DAY)

/** How long this client must wait, after wrong codes, before it is sent another code or may try one, in ms. */
export async function pauseOf(tx: WriteTx, { email, address }: Tried): Promise<number> {
  let wait = 0
  for (const { network } of boundedNetworks(address)) wait = Math.max(wait, await waitFor(tx, keys.pause(email, network), { max: 1 }))
  return wait
}

/** Milliseconds until this client may try a method; 0 where it may now, infinite where the method is closed for everybody. */
export async function waitAt(tx: WriteTx, way: CodeKind, tried: Tried): Promise<number> {
  const { email, address } = tried
  if ((await waitFor(tx, keys.inAll(way, email), { max: wrongPerDay })) > 0) return Number.POSITIVE_INFINITY
  let wait = way === 'mail' ? await pauseOf(tx, tried) : 0
  for (const { network, wrongPerDay: wrongOfNetwork } of boundedNetworks(address))
    wait = Math.max(wait, await waitFor(tx, keys.from(way, email, network), { max: wrongOfNetwork }))
  return wait
}

/**
 * Counts a wrong attempt, in all and for its networks. At the mailed method each network pauses after some, for twice as long every time.
 */
export async function countWrong(tx: WriteTx, way: CodeKind, { email, address }: Tried): Promise<void> {
  await count(tx, keys.inAll(way, email), DAY)
  for (const { network, wrongUntilPause } of boundedNetworks(address)) {
    const { count: wrong } = await count(tx, keys.from(way, email, network), DAY)
    if (way !== 'mail' || wrong % wrongUntilPause > 0) continue
    const doublings = wrong / wrongUntilPause - 1
    await count(tx, keys.pause(email, network), Math.min(pause.maxMs, pause.firstMs * 2 ** doublings))
  }
}

/** Reopens every method of an address for everybody. The daily counts of single networks stay. */
export async function openWays(tx: WriteTx, email: string): Promise<void> {
  for (const way of ways) await forget(tx, keys.inAll(way, email))
}

/** After a success: reopens every method of an address, and clears the counts of this client's networks. */
export async function forgiveClient(tx: WriteTx, { email, address }: Tried): Promise<void> {
  await openWays(tx, email)
  for (const { network } of boundedNetworks(address)) {
    for (const way of ways) await forget(tx, keys.from(way, email, network))
    await forget(tx, keys.pause(email, network))
  }
}
