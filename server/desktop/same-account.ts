import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Columns of /proc/net/tcp: both addresses, and the account that opened the connection. */
const [LOCAL, REMOTE, UID] = [1, 2, 7] as const

/** An address and port as /proc/net/tcp writes them: the bytes of an IPv4 address in reverse order, in hex. */
export function kernelAddress(address: string, port: number): string {
  const bytes = address.replace(/^::ffff:/, '').split('.')
  const hex = (value: number, width: number) => value.toString(16).toUpperCase().padStart(width, '0')
  return `${bytes
    .reverse()
    .map((byte) => hex(Number(byte), 2))
    .join('')}:${hex(port, 4)}`
}

/** The user id at the other end of a connection within this machine; null where the table has no such connection. */
export function accountOf(table: string, { from, to }: { from: string; to: string }): number | null {
  const row = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find((columns) => columns[LOCAL] === from && columns[REMOTE] === to)
  return row?.[UID] === undefined ? null : Number(row[UID])
}

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

/**
 * Whether the account that runs this server opened the connection. On Linux every account sees the arguments of every process, a ticket
 * among them, so the kernel's table of connections decides. Other systems hide them from other accounts: always true.
 */
export function isOwnAccount({ remoteAddress, remotePort, localAddress, localPort }: Ends): boolean {
  if (process.platform !== 'linux') return true
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return false
  const ends = { from: kernelAddress(remoteAddress, remotePort), to: kernelAddress(localAddress, localPort) }
  return accountOf(readFileSync('/proc/net/tcp', 'utf8'), ends) === process.getuid?.()
}
