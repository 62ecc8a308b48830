import { people } from '@markbook/shared/story/people'
import { SMTPServer } from 'smtp-server'
import { expect, test, vi } from 'vitest'
import { createApp } from '../app/app.ts'
import { silentLog } from '../http/log.ts'
import { smtpMailer } from '../mail/smtp.ts'
import { browserOf } from '../testing/browser.ts'
import { school } from '../testing/school.ts'

/** A mail server on a loopback port that keeps what it is given. */
async function mailServer() {
  const mails: { to: string | undefined; text: string }[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push({ to: envelope.rcptTo[0]?.address, text: Buffer.concat(chunks).toString() })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  return { mails, port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

test('a code goes out by SMTP, and whoever reads the mail signs in with it', async () => {
  const [st, post] = [await school(), await mailServer()]
  const mailer = smtpMailer({
    url: `smtp://127.0.0.1:${post.port}`,
    from: 'Markbook <marks@stbrigids.example>',
    clock: st.clock,
    log: silentLog as never,
  })
  try {
    const browser = browserOf(createApp({ ...st.services, mailer }))
    await browser.client.auth.sendOtp({ body: { email: ` ${people.byrne.email.toUpperCase()} ` } })
    const mail = await vi.waitUntil(() => post.mails[0], { timeout: 8_000 })
    expect(mail.to).toBe(people.byrne.email)
    const token = /^(\d{8})\r?$/m.exec(mail.text)?.[1] ?? ''
    const { user } = await browser.client.auth.verifyOtp({ body: { email: people.byrne.email, token } })
    expect(user).toMatchObject({ id: people.byrne.id, role: 'teacher' })
    expect(await browser.client.auth.me()).toEqual(user)
  } finally {
    await mailer.close()
    await post.close()
    await st.close()
  }
})
