import { limits } from '@markbook/shared/limits'
import { createTransport, type NodemailerError } from 'nodemailer'
import { transportOptions } from '../../mail/smtp.ts'
import { counted } from '../words.ts'
import { type Finding, findings, fine, notice, problem } from './finding.ts'

/** The result of a greeting; `code` of the network error or of the mail protocol, never the server's text. */
export type Greeting = { ok: true } | { ok: false; code: string; status: number | null }
/** `server`: its host, null without mail settings; `queue`: from the metrics of the running server, null where none runs. */
export type Mail = { server: string | null; greeting: Greeting | null; queue: { waiting: number; failing: boolean } | null }

const MEANS = 'Nobody gets a sign-in code by mail; who is signed in goes on, and no mark is lost.'

const WHY: [RegExp, string, string][] = [
  [/^(ENOTFOUND|EDNS|EAI_AGAIN)/, 'its name cannot be found', 'Is the internet there, and is the name in SMTP_URL spelt right?'],
  [
    /^ECONNREFUSED/,
    'nothing answers at its port',
    'Check the port in SMTP_URL (587 for smtp://, 465 for smtps:// are usual), and the firewall.',
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNECTION)/,
    'it does not answer',
    'Is the internet there? Some lines block mail; ask your provider which port is open.',
  ],
  [
    /^EAUTH/,
    'it refuses the user or the password',
    'Check user and password in SMTP_URL; many providers want a password made for programs.',
  ],
  [
    /^(ETLS|ESOCKET|CERT|DEPTH|SELF|UNABLE|ERR_TLS|ERR_SSL)/,
    'no safe connection comes about',
    'Use smtps:// for port 465 and smtp:// for 587, and check the date of this machine. A server in the building that knows no TLS: add ?ignoreTLS=true to SMTP_URL; then whoever listens in the network reads the codes.',
  ],
]

export function checkMail({ server, greeting, queue }: Mail): Finding[] {
  if (server === null)
    return notice('mail', {
      what: 'No mail server is set up (SMTP_URL), so sign-in codes appear only on the console of this server.',
      means: 'No mark is concerned; teachers need the console, the sign-in desk, an app or printed codes to sign in.',
      do: 'Set SMTP_URL to the mail server of the school, or follow the page on signing in without mail.',
    })
  const refusal = greeting && !greeting.ok ? ofRefusal(server, greeting) : null
  const found = findings(
    refusal,
    !refusal &&
      queue?.failing &&
      problem('mail', {
        what: `${server} answers now, but the last mail of the running server could not leave.`,
        means: MEANS,
        do: 'Ask for a sign-in code once more; if it does not come, look into the log of the server.',
      }),
    queue &&
      queue.waiting > 20 &&
      notice('mail', {
        what: `${counted(queue.waiting, 'mail')} wait to leave.`,
        means: 'Sign-in codes come late or not at all; one that waits longer than ten minutes is dropped.',
        do: 'Wait some minutes and look again; if it does not get less, the mail server is slow or holds us back.',
      }),
  )
  return found.length > 0 ? found : fine('mail', `The mail server ${server} takes mail from us.`)
}

function ofRefusal(server: string, { code, status }: Extract<Greeting, { ok: false }>): Finding[] {
  const [, why, advice] = WHY.find(([pattern]) => pattern.test(code)) ?? [
    null,
    `it refuses us (${[code, status].filter(Boolean).join(' ')})`,
    'Send this line to whoever runs the mail server.',
  ]
  return problem('mail', { what: `Mail cannot leave: ${server} was asked, and ${why}.`, means: MEANS, do: advice })
}

const { timeoutMs } = limits.doctor
const TIMES = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, dnsTimeout: timeoutMs, socketTimeout: timeoutMs }

/** Connects to the mail server and signs in like the server does; sends no mail. */
export async function greetMailServer(url: string): Promise<Greeting> {
  const transport = createTransport({ ...TIMES, ...transportOptions(url) })
  try {
    await transport.verify()
    return { ok: true }
  } catch (error) {
    const { originalCode, code = 'UNKNOWN', responseCode = null } = error as NodemailerError & { originalCode?: string }
    return { ok: false, code: originalCode ?? code, status: responseCode }
  } finally {
    transport.close()
  }
}
