import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { hostOf } from './addresses.ts'

/**
 * Where no server of a school stands: this machine by a name that is none (0.0.0.0 connects to it), groups of machines, and the service of
 * a cloud that hands its machine's keys to whoever asks from it.
 */
const nowhere = new BlockList()
nowhere.addSubnet('0.0.0.0', 8, 'ipv4')
nowhere.addSubnet('224.0.0.0', 3, 'ipv4')
nowhere.addAddress('169.254.169.254', 'ipv4')
nowhere.addAddress('::', 'ipv6')
nowhere.addSubnet('ff00::', 8, 'ipv6')
nowhere.addAddress('fd00:ec2::254', 'ipv6')

type Lookup = (host: string) => Promise<readonly { address: string }[]>
const byName: Lookup = (host) => lookup(host, { all: true })

/** Whether a server can stand at an address that a person typed. A name that is not found may: that is said when nobody answers. */
export async function mayBeServer(address: URL, addressesOf: Lookup = byName): Promise<boolean> {
  const host = hostOf(address)
  const found = isIP(host) ? [{ address: host }] : await addressesOf(host).catch(() => [])
  return found.every(({ address: ip }) => !nowhere.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4'))
}
