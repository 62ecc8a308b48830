import { people } from '@markbook/shared/story/people'
import type { Config } from './config.ts'

type Account = { email: string; who: string }

/** Three people of the story who can do different things. */
export const DEMO_ACCOUNTS: readonly Account[] = [
  { email: people.okafor.email, who: 'the head, an administrator' },
  { email: people.byrne.email, who: 'class teacher of 3B' },
  { email: people.ada.email, who: 'teaches mathematics in 3B' },
]

/** What the start says to the person at the screen: where the server is, where the marks are, how to sign in. */
export function banner(
  config: Pick<Config, 'publicUrl' | 'databaseUrl' | 'dataDir' | 'smtpUrl' | 'port' | 'host'>,
  accounts: readonly Account[],
): string {
  const here = `http://${config.host === '127.0.0.1' ? 'localhost' : config.host}:${config.port}`
  const place = config.databaseUrl
    ? `a central node on ${withoutPassword(config.databaseUrl)}`
    : `a school node; its marks are in ${config.dataDir}`
  const codes = config.smtpUrl
    ? 'A sign-in code goes to the address by mail.'
    : 'There is no mail server, so sign-in codes are printed here.'
  const lines = [
    '',
    `Markbook is running: ${here}`,
    `  This is ${place}.`,
    `  The interface, to read and to try: ${here}/docs`,
    '',
    'To sign in:',
  ]
  const [first] = accounts
  lines.push(
    `  1. ${ask(here, first?.email ?? 'you@your-school.example')}`,
    `  2. ${codes}`,
    `  3. ${verify(here, first?.email ?? 'you@your-school.example')}`,
  )
  if (accounts.length > 0) lines.push('', 'Accounts to try:', ...accounts.map(({ email, who }) => `  ${email.padEnd(36)} ${who}`))
  return [...lines, '', 'Ctrl+C stops the server; nothing that was saved is lost.', ''].join('\n')
}

const post = (url: string, body: object, more = '') =>
  `curl -s ${more}${url} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
const ask = (here: string, email: string) => post(`${here}/api/auth/otp/send`, { email })
const verify = (here: string, email: string) => post(`${here}/api/auth/otp/verify`, { email, token: 'the 8 digits' }, '-c cookies.txt ')

const withoutPassword = (address: string) => {
  const url = new URL(address)
  return `${url.hostname}${url.port ? `:${url.port}` : ''}${url.pathname}`
}
