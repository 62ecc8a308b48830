import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** The columns of /proc/net/tcp that are read here: both ends, and the account that opened the connection. */
const [LOCAL, REMOTE, UID] = [1, 2, 7] as const

/** An address and port as the kernel writes them there: the bytes of an IPv4 address backwards, in hex. */
export function kernelEnd(address: string, port: number): string {
  const bytes = address.replace(/^::ffff:/, '').split('.')
  const hex = (value: number, width: number) => value.toString(16).toUpperCase().padStart(width, '0')
  return `${bytes
    .reverse()
    .map((byte) => hex(Number(byte), 2))
    .join('')}:${hex(port, 4)}`
}

/** The account at the other end of a connection within this machine, or null where the table does not have it. */
export function accountIn(table: string, { from, to }: { from: string; to: string }): number | null {
  const row = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find((columns) => columns[LOCAL] === from && columns[REMOTE] === to)
  return row?.[UID] === undefined ? null : Number(row[UID])
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

/**
 * Whether a connection comes from this very account. On Linux everybody sees the arguments of everybody's programs, a ticket too, so the
 * kernel is asked. On other systems they are hidden from other accounts, and there is nothing to ask.
 */
export function isOwnAccount({ remoteAddress, remotePort, localAddress, localPort }: Ends, platform = process.platform): boolean {
  if (platform !== 'linux') return true
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return false
  const ends = { from: kernelEnd(remoteAddress, remotePort), to: kernelEnd(localAddress, localPort) }
  return accountIn(readFileSync('/proc/net/tcp', 'utf8'), ends) === process.getuid?.()
}
