import type { DemoAccount } from '@markbook/shared/contract/demo'
import { renderUnicodeCompact } from 'uqr'
import type { Config } from '../config.ts'
import { setupLink } from '../features/schools/setup-code.ts'
import { LOCAL_NAME } from '../network/addresses.ts'
import type { WipeNote } from '../replication/identity/wipe-note.ts'
import { shortMoment } from './words.ts'

const WHO: Record<DemoAccount['who'], string> = {
  head: 'the head, an administrator',
  class_teacher: 'class teacher of 3B',
  subject_teacher: 'teaches mathematics in 3B',
}

type BannerConfig = Pick<Config, 'databaseUrl' | 'dataDir' | 'smtpUrl' | 'lan' | 'tls'>
/**
 * The addresses of the server, for this machine and for other devices (best first). `notes`: lines about what this start made. `setupCode`:
 * the code to found a school with, null where there is one.
 */
export type ServerAddresses = {
  url: string
  urls: readonly string[]
  notes: readonly string[]
  wiped: WipeNote | null
  setupCode: string | null
}

/** The text that a start prints: where the server is, where the marks are stored, how to sign in. */
export function banner(
  config: BannerConfig,
  { url, urls, notes, wiped, setupCode }: ServerAddresses,
  accounts: readonly DemoAccount[],
): string {
  const place = config.databaseUrl
    ? `a central node on ${withoutPassword(config.databaseUrl)}`
    : `a school node; its marks are in ${config.dataDir}`
  const codes = config.smtpUrl
    ? 'A sign-in code goes to the address by mail.'
    : 'There is no mail server, so sign-in codes are printed here.'
  return [
    ...notes,
    ...(wiped ? ['', wipedText(wiped)] : []),
    '',
    `Markbook is running: ${url}`,
    `  This is ${place}.`,
    `  The interface, to read and to try: ${url}/docs`,
    ...network(config, url, urls),
    '',
    ...(setupCode === null
      ? [`Open ${url} in a browser and type your address. ${codes}`]
      : [
          `There is no school here yet. Open this page to found it: ${setupLink(url, setupCode)}`,
          `  Its setup code, to type on another device: ${setupCode}`,
          `  Whoever has it is the first administrator; it ends with the founding. ${codes}`,
        ]),
    ...(accounts.length > 0 ? ['', 'Accounts to try:', ...accounts.map(({ email, who }) => `  ${email.padEnd(36)} ${WHO[who]}`)] : []),
    '',
    'Ctrl+C stops the server; nothing that was saved is lost.',
    '',
  ].join('\n')
}

/** The text about a laptop that its school has erased. */
export const wipedText = ({ by, at }: WipeNote): string =>
  `This laptop was erased on ${shortMoment(at)}, at the request of ${by}: marks, names, files, keys and backups are gone from it.\nIt begins anew, and belongs to no school. Whoever is to use it needs a new invitation from their school.`

/** The addresses for other devices of the network, best first, and the best one as a QR code. */
function network({ lan, tls }: BannerConfig, url: string, urls: readonly string[]): string[] {
  const warning = tls === 'none' && urls.length > 0 ? notEncrypted(lan) : []
  if (!lan) return warning
  const [best] = urls
  if (!best) return [...warning, '', 'This machine is on no network yet; the addresses appear here when it is.']
  const byName = url.replace('localhost', LOCAL_NAME)
  const trust = tls === 'authority' ? ['  Each device must be told once to trust this school: markbook cert export'] : []
  return [
    ...warning,
    '',
    'On the other devices of this network:',
    ...[...urls, byName].map((each) => `  ${each}`),
    ...trust,
    '',
    renderUnicodeCompact(best, { border: 2 }),
  ]
}

const notEncrypted = (lan: boolean) => [
  '',
  '┌──────────────────────────────────────────────────────────────────────┐',
  '│ NOT ENCRYPTED: whoever is on this network can read marks and codes,  │',
  '│ and can work in the name of those who sign in.                       │',
  `│ ${(lan ? 'Leave INSECURE_LAN away, and it is https.' : 'Start with --lan, and it is https; or keep a proxy with TLS before it.').padEnd(69)}│`,
  '└──────────────────────────────────────────────────────────────────────┘',
]

export const withoutPassword = (address: string) => {
  const url = new URL(address)
  return `${decodeURIComponent(url.hostname)}${url.port ? `:${url.port}` : ''}${url.pathname}`
}
