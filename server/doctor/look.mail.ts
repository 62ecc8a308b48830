import { limits } from '@markbook/shared/limits'
import { createTransport, type NodemailerError } from 'nodemailer'
import type { Greeting } from './check.mail.ts'

const { patience } = limits.doctor
const TIMES = { connectionTimeout: patience, greetingTimeout: patience, dnsTimeout: patience, socketTimeout: patience }

/** Greets the mail server and signs in as the server would; no mail is sent. */
export async function greetMailServer(url: string): Promise<Greeting> {
  const transport = createTransport({ ...TIMES, url, disableFileAccess: true, disableUrlAccess: true })
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
