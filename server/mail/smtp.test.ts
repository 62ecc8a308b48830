import { limits } from '@markbook/shared/limits'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Mailer, MailMessage } from './mailer.ts'
import { signInCodeMessage } from './messages.ts'
import { smtpMailer } from './smtp.ts'

const NOON = Date.UTC(2026, 8, 1, 12)
const CODE = '04719362'

type Received = { to: string[]; raw: string }
type Refusal = { responseCode: number } | null

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A mail server on a loopback port. `refuse` is asked for each recipient, by number of the try. */
async function mailServer({
  port = 0,
  refuse = () => null,
  ...options
}: { port?: number; refuse?: (to: string, attempt: number) => Refusal } & SMTPServerOptions = {}) {
  const received: Received[] = []
  let attempts = 0
  let open = 0
  const most = { open: 0 }
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onConnect(_session, done) {
      open += 1
      most.open = Math.max(most.open, open)
      done()
    },
    onClose() {
      open -= 1
    },
    onRcptTo({ address }, _session, done) {
      attempts += 1
      const refusal = refuse(address, attempts)
      done(refusal && Object.assign(new Error(`refused, and here is your code ${CODE}`), refusal))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString('utf8') })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  closers.push(close)
  return { received, most, attempts: () => attempts, port: (server.server.address() as { port: number }).port, close }
}

type Setup = { now?: number; login?: string; host?: string; query?: string; from?: string; backoff?: (tries: number) => number }

function mailer(port: number, setup: Setup = {}) {
  const { login = '', host = '127.0.0.1', query = '', from = 'Markbook <no-reply@school.example>', backoff = () => 20 } = setup
  let { now = NOON } = setup
  const clock = { now: () => now, set: (ms: number) => (now = ms) }
  const lines: string[] = []
  const note = (fields: object, text: string) => void lines.push(`${JSON.stringify(fields)} ${text}`)
  const made = smtpMailer({ url: `smtp://${login}${host}:${port}${query}`, from, clock, backoff, log: { info: note, warn: note } as never })
  closers.push(() => made.close())
  return { mailer: made, clock, lines }
}

const mail = (to = 'ada@school.example', more: Partial<MailMessage> = {}): MailMessage => ({
  to,
  lane: 'members',
  ...signInCodeMessage({ code: CODE, site: 'https://marks.school.example' }),
  expiresAt: NOON + limits.otp.lifetimeMs,
  ...more,
})
/** On a machine that does much else. */
const SOON = { timeout: 15_000 }
const settled = (one: Mailer) => vi.waitFor(() => expect(one.state().queued).toBe(0), { timeout: 8_000, interval: 5 })

describe('delivering', () => {
  test('send returns at once and the mail arrives', async () => {
    const server = await mailServer()
    const { mailer: one } = mailer(server.port)
    expect(one.send(mail())).toBeUndefined()
    expect(one.state()).toEqual({ kind: 'smtp', lastFailure: null, queued: 1 })
    await settled(one)
    const { to, raw } = server.received[0] as Received
    expect(to).toEqual(['ada@school.example'])
    expect(raw).toContain('From: Markbook <no-reply@school.example>')
    expect(raw).toContain('Subject: Your code to sign in to Markbook')
    expect(raw).toContain('Date: Tue, 01 Sep 2026 12:00:00 +0000')
    expect(raw).toContain('Auto-Submitted: auto-generated')
    expect(raw).toMatch(/^04719362\r$/m)
    expect(one.state()).toEqual({ kind: 'smtp', lastFailure: null, queued: 0 })
  })

  test('a whole staff room at once: all arrive, over few connections', async () => {
    const server = await mailServer()
    const { mailer: one } = mailer(server.port)
    const addresses = Array.from({ length: 60 }, (_, index) => `teacher${index}@school.example`)
    for (const address of addresses) one.send(mail(address))
    expect(one.state().queued).toBe(60)
    await settled(one)
    expect(server.received.flatMap(({ to }) => to).sort()).toEqual(addresses.sort())
    expect(server.most.open).toBeLessThanOrEqual(4)
  })

  test('the queue is bounded, and makes room by dropping what has expired', async () => {
    const { mailer: one, clock } = mailer(1, { backoff: () => 60_000 })
    for (let count = 0; count < limits.mail.queued + 5; count += 1) one.send(mail())
    expect(one.state()).toMatchObject({ queued: limits.mail.queued, lastFailure: { kind: 'connection', reason: 'QUEUE_FULL' } })
    clock.set(NOON + limits.otp.lifetimeMs)
    one.send(mail('bea@school.example', { expiresAt: NOON + 2 * limits.otp.lifetimeMs }))
    expect(one.state().queued).toBeLessThan(10)
  })
})

describe('strangers', () => {
  const stranger = (number: number, more: Partial<MailMessage> = {}) =>
    mail(`invented${number}@nowhere.example`, { lane: 'strangers', ...more })
  const { strangers } = limits.mail

  /** A mail server that holds every mail until it is let go. */
  async function slowServer() {
    const held: (() => void)[] = []
    const server = await mailServer({ onRcptTo: (_address, _session, done) => void held.push(() => done()) })
    return { ...server, held, letGo: () => held.splice(0).map((go) => go()) }
  }

  test('a hundred thousand mails to invented addresses, and a member’s leaves next, over connections that they never have', async () => {
    const server = await slowServer()
    const { mailer: one, lines } = mailer(server.port)
    for (let number = 0; number < 100_000; number += 1) one.send(stranger(number))
    await vi.waitFor(() => expect(server.held).toHaveLength(strangers.concurrent), SOON)
    expect(one.state().queued).toBe(strangers.queued)
    one.send(mail('ada@school.example'))
    one.send(mail('byrne@school.example'))
    await vi.waitFor(() => expect(server.held).toHaveLength(limits.mail.concurrent), SOON)
    server.letGo()
    await vi.waitFor(() => expect(server.received).toHaveLength(limits.mail.concurrent), SOON)
    expect(server.received.flatMap(({ to }) => to)).toEqual(expect.arrayContaining(['ada@school.example', 'byrne@school.example']))
    // Nobody is told that mail is failing: it is not.
    expect(one.state().lastFailure).toBeNull()
    expect(lines.filter((line) => line.includes('too many'))).toHaveLength(1)
    await Promise.all([one.close(), vi.waitFor(() => server.letGo().length > 0 || Promise.reject(new Error('none is held')), SOON)])
  })

  test('their queue does not fill that of members, nor the other way round', async () => {
    const { mailer: one } = mailer(1, { backoff: () => 60_000 })
    for (let number = 0; number < 2 * strangers.queued; number += 1) one.send(stranger(number))
    expect(one.state().queued).toBe(strangers.queued)
    for (let number = 0; number < limits.mail.queued; number += 1) one.send(mail())
    expect(one.state()).toMatchObject({ queued: strangers.queued + limits.mail.queued })
    expect(one.state().lastFailure?.reason).not.toBe('QUEUE_FULL')
  })
})

describe('to a mail server on another machine', () => {
  /** An address of this machine that is not one of its loopback, as far as the settings can tell. */
  const host = '0.0.0.0'

  test('no code leaves where the server knows no TLS', async () => {
    const server = await mailServer()
    const { mailer: one } = mailer(server.port, { host, backoff: () => 60_000 })
    one.send(mail())
    await vi.waitFor(
      () => expect(one.state().lastFailure).toMatchObject({ kind: 'connection', reason: expect.stringMatching(/^ETLS/) }),
      SOON,
    )
    expect(server.attempts()).toBe(0)
  })

  test('nor where somebody between shows a certificate that nobody vouches for', async () => {
    const server = await mailServer({ disabledCommands: ['AUTH'] })
    const { mailer: one } = mailer(server.port, { host, backoff: () => 60_000 })
    one.send(mail())
    await vi.waitFor(() => expect(one.state().lastFailure?.kind).toBe('connection'), SOON)
    expect(server.attempts()).toBe(0)
  })

  test('but where the settings say that it may', async () => {
    const server = await mailServer()
    const { mailer: one } = mailer(server.port, { host, query: '?ignoreTLS=true' })
    one.send(mail())
    await settled(one)
    expect(server.received).toHaveLength(1)
  })
})

describe('failing', () => {
  test('a server that is down and comes up again gets the mail', async () => {
    const { port, close } = await mailServer()
    await close()
    const { mailer: one } = mailer(port, { backoff: () => 150 })
    one.send(mail())
    await vi.waitFor(
      () => expect(one.state()).toMatchObject({ queued: 1, lastFailure: { kind: 'connection', reason: 'ECONNREFUSED' } }),
      SOON,
    )
    const server = await mailServer({ port })
    await settled(one)
    expect(server.received).toHaveLength(1)
    expect(one.state().lastFailure).toBeNull()
  })

  test('a mail put off with 451 is taken the next time', async () => {
    const server = await mailServer({ refuse: (_, attempt) => (attempt < 3 ? { responseCode: 451 } : null) })
    const { mailer: one } = mailer(server.port)
    one.send(mail())
    await vi.waitFor(() => expect(one.state().lastFailure).toEqual({ kind: 'message', reason: 'EENVELOPE 451' }), {
      ...SOON,
      interval: 1,
    })
    await settled(one)
    expect(server.attempts()).toBe(3)
    expect(server.received).toHaveLength(1)
  })

  test('a mail refused with 550 is not tried again, and does not count as an outage', async () => {
    const server = await mailServer({ refuse: () => ({ responseCode: 550 }) })
    const { mailer: one } = mailer(server.port)
    one.send(mail())
    await settled(one)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(server.attempts()).toBe(1)
    expect(one.state().lastFailure).toEqual({ kind: 'message', reason: 'EENVELOPE 550' })
  })

  test('tries are bounded', async () => {
    const server = await mailServer({ refuse: () => ({ responseCode: 451 }) })
    const waits: number[] = []
    const { mailer: one, lines } = mailer(server.port, { backoff: (tries) => waits.push(tries) && 1 })
    one.send(mail())
    await settled(one)
    expect(server.attempts()).toBe(limits.mail.attempts)
    expect(waits).toEqual([1, 2, 3, 4, 5])
    expect(lines.at(-1)).toContain('a mail was dropped')
  })

  test('a sign-in that the server refuses is told as an outage', async () => {
    const server = await mailServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    const { mailer: one } = mailer(server.port, { login: 'user:secret@' })
    one.send(mail())
    await settled(one)
    expect(one.state().lastFailure).toMatchObject({ kind: 'connection', reason: 'EAUTH 535' })
  })

  test('what has expired before it could leave is dropped', async () => {
    const { port, close } = await mailServer()
    await close()
    const { mailer: one, clock, lines } = mailer(port, { backoff: () => 100 })
    one.send(mail())
    one.send(mail('late@school.example', { expiresAt: NOON }))
    await vi.waitFor(() => expect(one.state().lastFailure).not.toBeNull(), SOON)
    const server = await mailServer({ port })
    clock.set(NOON + limits.otp.lifetimeMs)
    await settled(one)
    expect(server.received).toEqual([])
    expect(lines.filter((line) => line.includes('had expired'))).toHaveLength(2)
  })

  test('closing waits for what is on its way and drops the rest', async () => {
    const server = await mailServer()
    const { mailer: one, lines } = mailer(server.port)
    for (let count = 0; count < 10; count += 1) one.send(mail())
    await Promise.resolve()
    await one.close()
    expect(server.received).toHaveLength(3)
    expect(lines).toEqual(['{"dropped":7} mails that had not left were dropped'])
    one.send(mail())
    expect(one.state().queued).toBe(0)
  })

  test('no line of the log holds a code or an address, even when the server answers with one', async () => {
    const server = await mailServer({ refuse: (_, attempt) => ({ responseCode: attempt < 3 ? 451 : 550 }) })
    const { mailer: one, lines } = mailer(server.port)
    one.send(mail())
    await settled(one)
    expect(lines).toHaveLength(3)
    expect(lines.join('\n') + JSON.stringify(one.state())).not.toMatch(/0471|9362|ada|school/)
  })
})

describe('headers cannot be added', () => {
  test.each([
    'ada@school.example\r\nBcc: eve@evil.example',
    'ada@school.example\nSubject: x',
    'ada@school.example, eve@evil.example',
    'ada@school.example;eve@evil.example',
    'Ada <ada@school.example>',
    '<ada@school.example> NOTIFY=NEVER',
    'ada@school.example\u0000',
    'ada@one@two.example',
    'ada',
    '',
    `${'a'.repeat(limits.text.email)}@school.example`,
  ])('the address %j is refused', async (to) => {
    const server = await mailServer()
    const { mailer: one } = mailer(server.port)
    expect(() => one.send(mail(to))).toThrow(TypeError)
    expect(one.state().queued).toBe(0)
  })

  test('nor by the subject or the sender', () => {
    const { mailer: one } = mailer(1)
    expect(() => one.send(mail('ada@school.example', { subject: 'Code\r\nBcc: eve@evil.example' }))).toThrow(TypeError)
    expect(() => mailer(1, { from: 'a@b.example\r\nBcc: eve@evil.example' })).toThrow(TypeError)
  })

  test('unusual addresses that are right are taken', async () => {
    const server = await mailServer()
    const { mailer: one } = mailer(server.port)
    const addresses = ["o'brien+marks@school.example", 'ada.lovelace@xn--bcher-kva.example']
    for (const address of addresses) one.send(mail(address))
    await settled(one)
    expect(server.received.map(({ raw }) => /^To: (.*)\r$/m.exec(raw)?.[1]).sort()).toEqual([...addresses].sort())
  })
})
