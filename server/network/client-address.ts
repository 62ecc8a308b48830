import { BlockList, isIP } from 'node:net'
import { LOCAL } from './addresses.ts'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

type Trust = (address: string) => boolean
const known = new WeakMap<readonly string[], Trust>()

/** True for the addresses that a list of TRUST_PROXY names. */
export function trustOf(proxies: readonly string[]): Trust {
  const trust = known.get(proxies) ?? readTrust(proxies)
  known.set(proxies, trust)
  return trust
}

function readTrust(proxies: readonly string[]): Trust {
  if (proxies.length === 0) return () => false
  const list = new BlockList()
  for (const proxy of proxies.flatMap((text) => (text === LOCAL ? ['127.0.0.0/8', '::1'] : [text]))) {
    const [address = '', bits] = proxy.split('/')
    if (bits === undefined) list.addAddress(plain(address) ?? address, familyOf(plain(address) ?? address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  const trustsLocal = proxies.includes(LOCAL)
  return (address) => (isIP(address) === 0 ? trustsLocal && address === LOCAL : list.check(address, familyOf(address)))
}

/**
 * One entry of X-Forwarded-For, or the address of a socket, as a bare address: without port, brackets, quotes, zone, and IPv4 where
 * IPv6 wraps it. Null for what is no address ("unknown", names, rubbish).
 */
export function plain(entry: string): string | null {
  if (isIP(entry) === 4) return entry
  const bare = entry.trim().replace(/^"(.*)"$/, '$1')
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(bare)?.[1] ?? bare
  const unzoned = address.replace(/%.*$/, '').toLowerCase()
  const wrapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(unzoned)?.[1] ?? unzoned
  return isIP(wrapped) === 0 ? null : wrapped
}

/**
 * The client of a request: the other end of the connection, or the address that a trusted proxy names. The header is read from the
 * right, because each proxy appends what it saw and the left is the client's own claim; the first address that is not trusted is the
 * client. Where a proxy names no address, the proxy is the client.
 */
export function clientAddress(direct: string | undefined, forwarded: string | undefined, isTrusted: Trust): string {
  let client = plain(direct ?? '') ?? direct ?? LOCAL
  if (!forwarded || !isTrusted(client)) return client
  for (const entry of forwarded.split(',').reverse()) {
    if (entry.trim() === '') continue
    const named = plain(entry)
    if (named === null) return client
    client = named
    if (!isTrusted(named)) return named
  }
  return client
}

const groupsOf = (address: string): string[] => {
  const [head = '', tail] = address.split('::')
  const [left, right] = [head, tail ?? ''].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  return tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
}

/** What limits count by: an IPv4 address, or an IPv6 network of 64 bits, in which one owner has any number of addresses. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const first = groupsOf(address).slice(0, 4)
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/**
 * The networks that the client of `network` counts by, the smaller first: the one that `networkOf` names, and for IPv6 the one of 48 bits
 * around it, since providers give a customer as many of 64 bits.
 */
export function networksAround(network: string): [own: string, site?: string] {
  const site = /^((?:[0-9a-f]+:){2}[0-9a-f]+):[0-9a-f]+::\/64$/.exec(network)?.[1]
  return site === undefined ? [network] : [network, `${site}::/48`]
}

/** By what clients take turns: like `networkOf`, but on a private network, where all share one, each device is a client. */
export const fairnessKeyOf = (address: string): string =>
  /^f(?:e[89ab]|[cd])/.test(address) && isIP(address) === 6 ? address : networkOf(address)
