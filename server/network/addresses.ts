import { isIP } from 'node:net'
import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** Host name and network interfaces of a machine. */
export type Machine = { hostname: string; interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>> }
export const thisMachine = (): Machine => ({ hostname: hostname(), interfaces: networkInterfaces() })

/** The names and addresses that a certificate is made for. */
export type Names = { dns: readonly string[]; ips: readonly string[] }

/** Of a server that listens on every address. */
export const ANY = ['0.0.0.0', '::']
/** Interfaces of containers, virtual machines and tunnels, which no other device in the building reaches. */
const VIRTUAL =
  /^(docker|br-|bridge|veth|virbr|lxc|lxd|cni|flannel|podman|vmnet|vboxnet|tun|tap|utun|wg|zt|tailscale|ppp)|vEthernet|VirtualBox|VMware|Hyper-V|WSL/i
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd])/i
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i

/** Lower is better: a private IPv4 address on a real interface is what a teacher's device reaches. */
const distance = ({ address, family, name }: { address: string; family: string; name: string }) =>
  (LINK_LOCAL.test(address) ? 8 : 0) + (VIRTUAL.test(name) ? 4 : 0) + (family === 'IPv6' ? 2 : 0) + (PRIVATE.test(address) ? 0 : 1)

/** Where others reach a server that listens on `host`, best first; none for a loopback host. Link-local IPv6 is left out. */
export function addressesAt(host: string, { interfaces }: Machine): string[] {
  if (!ANY.includes(host)) return isLoopback(host) ? [] : [host]
  return Object.entries(interfaces)
    .flatMap(([name, infos = []]) => infos.map((info) => ({ ...info, name })))
    .filter(({ internal, family, address }) => !internal && (family === 'IPv4' || (host === '::' && !LINK_LOCAL.test(address))))
    .sort((a, b) => distance(a) - distance(b))
    .map(({ address }) => address)
}

export const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/** The host of an address, an IPv6 one without its brackets. */
export const hostOf = (url: string | URL) => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** What a Host header names: in small letters, without port, brackets and the dot of the root. Null for what is no host. */
export function hostIn(header: string): string | null {
  const [, host] = /^(\[[\da-f:.]+\]|[^\s:@/?#\\[\]]+)(?::\d{0,5})?$/i.exec(header) ?? []
  if (host === undefined || !URL.canParse(`http://${host}`)) return null
  return hostOf(`http://${host}`).replace(/\.$/, '')
}

/** Whether what goes to this address can be read and changed on its way: plain http to another machine. */
export function isInsecure(url: string): boolean {
  if (!URL.canParse(url)) return false
  return new URL(url).protocol === 'http:' && !isLoopback(hostOf(url))
}

/** The address of a page: `urlOf('https', 'fd00::2', 443)` is `https://[fd00::2]`. */
export function urlOf(scheme: 'http' | 'https', host: string, port: number): string {
  const usual = scheme === 'https' ? 443 : 80
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}${port === usual ? '' : `:${port}`}`
}

/** The name that mDNS announces (docs/design/server.md). */
export const LOCAL_NAME = 'markbook.local'

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const isName = (name: string) => name.length <= 253 && name.split('.').every((label) => LABEL.test(label))

/** All names and addresses of this machine, but those that no certificate can hold. */
export function namesAt(host: string, publicUrl: string | null, machine: Machine): Names {
  const full = machine.hostname.toLowerCase()
  const short = full.split('.')[0] ?? full
  const configured = publicUrl ? hostOf(publicUrl) : 'localhost'
  const all = [...addressesAt(host, machine), short, configured, `${short}.local`, full, LOCAL_NAME, 'localhost', '127.0.0.1', '::1']
  const unique = [...new Set(all)]
  return { dns: unique.filter((name) => isIP(name) === 0 && isName(name)), ips: unique.filter((name) => isIP(name) !== 0) }
}

/** The word in TRUST_PROXY for every proxy on the same machine. */
export const LOCAL = 'local'

/** An address or a network such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && most > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}
