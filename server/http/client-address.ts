import { BlockList, isIP } from 'node:net'

/** Stands in TRUST_PROXY for every proxy on the same machine. */
export const LOCAL = 'local'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** An address or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

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
  const bare = entry.trim().replace(/^"(.*)"$/, '$1')
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(bare)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(bare)?.[1] ?? bare
  const unzoned = address.replace(/%.*$/, '').toLowerCase()
  const wrapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(unzoned)?.[1] ?? unzoned
  return isIP(wrapped) === 0 ? null : wrapped
}

/**
 * Whom a request is from: the other end of the connection, or behind a proxy that the configuration trusts whom that proxy names.
 * Read from the right, because each proxy adds what it saw and the left is whatever the client wrote; the first that is not trusted
 * is the client. Where a proxy names no address, it is itself as far as we know.
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

/** What limits count by: an IPv4 address, or the network of 64 bits in which an owner of IPv6 has as many addresses as they like. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const first = groupsOf(address).slice(0, 4)
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Who takes turns with whom: like `networkOf`, but on a private network, where all share one, each device is somebody. */
export const turnOf = (address: string): string =>
  /^f(?:e[89ab]|[cd])/.test(address) && isIP(address) === 6 ? address : networkOf(address)
