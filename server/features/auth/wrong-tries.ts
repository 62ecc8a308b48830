import { limits } from '@markbook/shared/limits'
import { networksAround } from '../../network/client-address.ts'
import { count, forget, waitFor } from '../../store/attempts.ts'
import type { WriteTx } from '../../store/tx.ts'
import type { SignInAttempt } from './codes.ts'

const { wrongPerDay, networks, pause } = limits.otp
const DAY = 86_400_000

/**
 * What a wrong try is counted at. `mail`: eight digits while a mailed code lives; `app`: eight digits otherwise, of an app or of a set of
 * printed codes from before they had sixteen characters; `printed`: sixteen characters.
 */
export const ways = ['mail', 'app', 'printed'] as const
export type CodeKind = (typeof ways)[number]
/** Whose tries, from where. Counted by the address, so that the counts tell nothing of whether it has an account. */
type Tried = Pick<SignInAttempt, 'email' | 'address'>

const keys = {
  turn: (email: string) => `otp-turn:${email}`,
  inAll: (way: CodeKind, email: string) => `otp-wrong:${way} ${email}`,
  from: (way: CodeKind, email: string, network: string) => `otp-wrong:${way} ${email} ${network}`,
  pause: (email: string, network: string) => `otp-pause:${email} ${network}`,
}

/** The networks of a client, each with its bounds. */
export const boundedNetworks = (address: string) =>
  networksAround(address).flatMap((network, at) => {
    const bounds = networks[at]
    return network === undefined || bounds === undefined ? [] : [{ network, ...bounds }]
  })

/** Holds a row of the address until the commit: tries at one account come one after the other, so that none is looked at uncounted. */
export const takeTurn = (tx: WriteTx, email: string) => count(tx, keys.turn(email), DAY)

/** How long this client waits before it is sent another code, and before it may try one, in ms: it has tried wrong ones. */
export async function pauseOf(tx: WriteTx, { email, address }: Tried): Promise<number> {
  let wait = 0
  for (const { network } of boundedNetworks(address)) wait = Math.max(wait, await waitFor(tx, keys.pause(email, network), { max: 1 }))
  return wait
}

/** Milliseconds until this client may try a way; 0 where it may now, infinite where the way is closed for everybody. */
export async function waitAt(tx: WriteTx, way: CodeKind, tried: Tried): Promise<number> {
  const { email, address } = tried
  if ((await waitFor(tx, keys.inAll(way, email), { max: wrongPerDay })) > 0) return Number.POSITIVE_INFINITY
  let wait = way === 'mail' ? await pauseOf(tx, tried) : 0
  for (const { network, wrong } of boundedNetworks(address))
    wait = Math.max(wait, await waitFor(tx, keys.from(way, email, network), { max: wrong }))
  return wait
}

/** Counts a wrong try, in all and for its networks. At the mailed way each network pauses after some, for twice as long every time. */
export async function countWrong(tx: WriteTx, way: CodeKind, { email, address }: Tried): Promise<void> {
  await count(tx, keys.inAll(way, email), DAY)
  for (const { network, untilPause } of boundedNetworks(address)) {
    const { count: wrong } = await count(tx, keys.from(way, email, network), DAY)
    if (way !== 'mail' || wrong % untilPause > 0) continue
    const doublings = wrong / untilPause - 1
    await count(tx, keys.pause(email, network), Math.min(pause.most, pause.first * 2 ** doublings))
  }
}

/** Opens every way of an address to everybody. What single networks have used of the day stays used. */
export async function openWays(tx: WriteTx, email: string): Promise<void> {
  for (const way of ways) await forget(tx, keys.inAll(way, email))
}

/** After a success: opens every way of an address, to this client also what its networks had used. */
export async function forgiveClient(tx: WriteTx, { email, address }: Tried): Promise<void> {
  await openWays(tx, email)
  for (const { network } of boundedNetworks(address)) {
    for (const way of ways) await forget(tx, keys.from(way, email, network))
    await forget(tx, keys.pause(email, network))
  }
}
