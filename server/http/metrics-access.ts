import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { isLoopback } from '../network/addresses.ts'
import { plain } from '../network/client-address.ts'
import { isSameSecret } from '../store/encryption.ts'
import type { AppEnv } from './mount.ts'

/** What proxies add. A request with one of them came from elsewhere, whether or not the proxy is trusted. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Whether a request may have the figures: it is from this machine itself, or bears the token. */
export function mayReadMetrics(c: Context<AppEnv>, token: string | null): boolean {
  const sent = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (token !== null && sent !== undefined && isSameSecret(digest(sent), digest(token))) return true
  return isFromHere(c)
}

/** By the connection itself: from a loopback address, or from the very address that was asked. */
function isFromHere(c: Context<AppEnv>): boolean {
  const socket = c.env?.incoming?.socket
  if (FORWARDED.some((name) => c.req.header(name) !== undefined)) return false
  // Where there is no network the request was made in this process.
  if (!socket) return true
  const peer = plain(socket.remoteAddress ?? '')
  return peer !== null && (isLoopback(peer) || peer === plain(socket.localAddress ?? ''))
}
