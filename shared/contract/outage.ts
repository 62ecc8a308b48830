import { z } from 'zod'
import { failures } from '../failures.ts'
import { Token } from './auth.ts'
import { DemoAccount } from './demo.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Flag, Id, Instant, input, row } from './scalars.ts'

/**
 * What the sign-in page has to know, and nothing about any address. `mail`: `ok`, `failing` while no mail can leave, `console` where
 * none was set up and codes are printed where the server runs. The others say which ways this server knows. `demo` only in a
 * demonstration, for the machine that it runs on (decision 330).
 */
export const Ways = row('Ways', {
  mail: choice(['ok', 'failing', 'console']),
  totp: Flag,
  recovery: Flag,
  desk: Flag,
  demo: z.array(DemoAccount).optional(),
})
export type Ways = z.infer<typeof Ways>

/** The own ways besides mail. `confirmed_at` is null without an app; `recovery_codes` says how many printed codes are left. */
export const OwnWays = row('OwnWays', { confirmed_at: Instant.nullable(), recovery_codes: z.int() })
export type OwnWays = z.infer<typeof OwnWays>

/** `secret` in base 32, for typing by hand what `otpauth_uri` says as a QR code. */
export const TotpEnrolment = row('TotpEnrolment', { otpauth_uri: z.string(), secret: z.string() })

export const RecoveryCodes = row('RecoveryCodes', { codes: z.array(z.string()) })

export const DeskCode = row('DeskCode', { code: z.string(), expires_at: Instant })

/** A code that the desk issued (`create`) or that somebody signed in with (`update`). `actor` is null for the latter. */
export const DeskEntry = row('DeskEntry', {
  id: Id,
  at: Instant,
  action: choice(['create', 'update']),
  actor: z.object({ id: Id, first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable(),
  user_id: Id,
  email: z.string(),
})

export const outageFailures = failures('auth', {
  noEnrolment: [409, 'There is no new app to confirm, or it took too long. Please start again.'],
  notAtTheDesk: [
    403,
    'The desk gives no code to this person: only to active members of this school alone who are not administrators. Please use the console of the server.',
  ],
  deskLimit: [429, 'The desk has given out as many codes as it may in an hour. Please wait.'],
})

/** Sign-in when mail cannot leave (decisions §3). All codes are typed where the mailed one is: POST /api/auth/otp/verify. */
export const outage = {
  ways: endpoint({
    method: 'GET',
    path: '/api/auth/ways',
    guard: 'none',
    summary: 'Say whether mail leaves, and how else to sign in',
    reply: Ways,
  }),
  ownWays: endpoint({
    method: 'GET',
    path: '/api/auth/totp',
    guard: 'session',
    summary: 'Read how one can sign in without mail',
    reply: OwnWays,
  }),
  enrolTotp: endpoint({
    method: 'POST',
    path: '/api/auth/totp',
    guard: 'session',
    summary: 'Begin to use an authenticator app',
    status: 201,
    reply: TotpEnrolment,
  }),
  confirmTotp: endpoint({
    method: 'POST',
    path: '/api/auth/totp/confirm',
    guard: 'session',
    summary: 'Show that the app gives the right codes',
    body: input({ token: Token }),
    reply: OwnWays,
    fails: ['auth.no_enrolment', 'otp_invalid', 'otp_locked', 'sync.not_on_a_laptop'],
  }),
  removeTotp: endpoint({
    method: 'DELETE',
    path: '/api/auth/totp',
    guard: 'session',
    summary: 'Stop using the authenticator app',
    reply: Done,
    fails: ['sync.not_on_a_laptop'],
  }),
  newRecoveryCodes: endpoint({
    method: 'POST',
    path: '/api/auth/recovery-codes',
    guard: 'session',
    summary: 'Make ten one-time codes to print; older ones end',
    status: 201,
    reply: RecoveryCodes,
    fails: ['sync.not_on_a_laptop'],
  }),
  deskCodes: endpoint({
    method: 'GET',
    path: '/api/auth/desk-codes',
    guard: 'admin',
    summary: 'List what the sign-in desk did, newest first',
    reply: z.array(DeskEntry),
    list: true,
  }),
  issueDeskCode: endpoint({
    method: 'POST',
    path: '/api/auth/desk-codes',
    guard: 'admin',
    summary: 'Hand a member a code to sign in once',
    status: 201,
    targets: ['userId'],
    body: input({ userId: Id }),
    reply: DeskCode,
    fails: ['auth.not_at_the_desk', 'auth.desk_limit'],
  }),
  resetSignIn: endpoint({
    method: 'POST',
    path: '/api/schools/members/:userId/reset-sign-in',
    guard: 'admin',
    summary: 'Let a member sign in by mail again after too many wrong codes',
    reply: Done,
  }),
}
