import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { isLoopback } from '../network/addresses.ts'
import { plain } from '../network/client-address.ts'
import { isSameSecret } from '../store/encryption.ts'
import type { AppEnv } from './mount.ts'

/** Headers that proxies add. A request with one of them came from another machine, whether or not the proxy is trusted. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Whether a request may read the metrics: it comes from this machine, or has the token. */
export function mayReadMetrics(c: Context<AppEnv>, token: string | null): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (token !== null && sent !== undefined && isSameSecret(digest(sent), digest(token))) return true
  return isFromHere(c)
}

/** Judged by the connection: from a loopback address, or from the same address to which it was made. */
function isFromHere(c: Context<AppEnv>): boolean {
  const socket = c.env?.incoming?.socket
  if (FORWARDED.some((name) => c.req.header(name) !== undefined)) return false
  // Without a network the request was made in this process.
  if (!socket) return true
  const peer = plain(socket.remoteAddress ?? '')
  return peer !== null && (isLoopback(peer) || peer === plain(socket.localAddress ?? ''))
}
