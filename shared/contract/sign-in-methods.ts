import { z } from 'zod'
import { failures } from '../failures.ts'
import { Token } from './auth.ts'
import { DemoAccount } from './demo.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Flag, Id, Instant, input, Person, row } from './scalars.ts'

export const Erased = z.object({ by: z.string(), at: Instant })

/**
 * The sign-in methods of this server; the reply depends on no address. `mail`: `ok`, `failing` while mail cannot be sent, `console` where
 * no mail server is set up and codes are printed on the server's console.
 * Fields that are present only where they apply: `demo`, true in a demonstration, for the machine on which it runs
 * (docs/design/server.md). `erased`: the server `by` had this laptop erased, and nobody has set it up since. `setup_code`, true: founding
 * a school needs the setup code of this server. `invited_only`, true: codes are mailed only to people of this server's school and to
 * people it invited. `one_school`, true: no further school can be founded, since the one of a dedicated server exists, or this is a
 * person's laptop.
 */
export const SignInMethods = row('Ways', {
  mail: choice(['ok', 'failing', 'console']),
  totp: Flag,
  recovery: Flag,
  desk: Flag,
  demo: z.array(DemoAccount).optional(),
  erased: Erased.optional(),
  setup_code: Flag.optional(),
  invited_only: Flag.optional(),
  one_school: Flag.optional(),
})
export type SignInMethods = z.infer<typeof SignInMethods>

/**
 * The caller's sign-in methods besides mail. `confirmed_at` is null without an app; `recovery_codes`: the number of unused codes;
 * `second_since`: since when this server requires one of them beside a mailed code, null where it does not.
 */
export const OwnSignInMethods = row('OwnWays', {
  confirmed_at: Instant.nullable(),
  recovery_codes: z.int(),
  second_since: Instant.nullable(),
})
export type OwnSignInMethods = z.infer<typeof OwnSignInMethods>

/** `secret`: the key of `otpauth_uri` in base 32, for typing it by hand instead of scanning the QR code. */
const TotpEnrolment = row('TotpEnrolment', { otpauth_uri: z.string(), secret: z.string() })

/** A desk code that was issued (`create`) or used to sign in (`update`). `actor` is null for the latter. */
const DeskEntry = row('DeskEntry', {
  id: Id,
  at: Instant,
  action: choice(['create', 'update']),
  actor: Person.nullable(),
  user_id: Id,
  email: z.string(),
})

export const signInFailures = failures('auth', {
  noEnrolment: [409, 'There is no new app to confirm, or it took too long. Please start again.'],
  notAtTheDesk: [
    403,
    'The desk gives no code to this person: only to active members of this school alone who are not administrators. Please use the console of the server.',
  ],
  nothingToAskFor: [409, 'There is nothing to ask for yet. Please set up an app or a passkey first.'],
  lastSecond: [409, 'Signing in by mail asks for this beside the code. Please turn that off first, or set up another app or passkey.'],
  deskLimit: [429, 'The desk has given out as many codes as it may in an hour. Please wait.'],
})

/** Sign-in without mail (decisions §3). Every kind of code is sent to POST /api/auth/otp/verify. */
export const signInMethods = {
  ways: endpoint('GET /api/auth/ways', 'none', 'Say whether mail leaves, and how else to sign in', { reply: SignInMethods }),
  ownWays: endpoint('GET /api/auth/totp', 'session', 'Read how one can sign in without mail', { reply: OwnSignInMethods }),
  enrolTotp: endpoint('POST /api/auth/totp', 'session', 'Begin to use an authenticator app', {
    fresh: true,
    status: 201,
    reply: TotpEnrolment,
  }),
  confirmTotp: endpoint('POST /api/auth/totp/confirm', 'session', 'Show that the app gives the right codes', {
    fresh: true,
    body: input({ token: Token }),
    reply: OwnSignInMethods,
    fails: ['auth.no_enrolment', 'otp_invalid', 'otp_locked', 'sync.not_on_a_laptop'],
  }),
  removeTotp: endpoint('DELETE /api/auth/totp', 'session', 'Stop using the authenticator app', {
    fresh: true,
    reply: Done,
    fails: ['sync.not_on_a_laptop', 'auth.last_second'],
  }),
  newRecoveryCodes: endpoint('POST /api/auth/recovery-codes', 'session', 'Make ten one-time codes to print; older ones end', {
    fresh: true,
    status: 201,
    reply: row('RecoveryCodes', { codes: z.array(z.string()) }),
    fails: ['sync.not_on_a_laptop'],
  }),
  askForSecond: endpoint('POST /api/auth/second-factor', 'session', 'Ask for a second factor whenever one signs in by mail', {
    notes: 'At this server alone. For whoever has an app or a passkey.',
    fresh: true,
    reply: OwnSignInMethods,
    fails: ['auth.nothing_to_ask_for'],
  }),
  askForNoSecond: endpoint('DELETE /api/auth/second-factor', 'session', 'Ask for nothing but the code when one signs in by mail', {
    fresh: true,
    reply: OwnSignInMethods,
  }),
  deskCodes: endpoint('GET /api/auth/desk-codes', 'admin', 'List what the sign-in desk did, newest first', { reply: z.array(DeskEntry) }),
  issueDeskCode: endpoint('POST /api/auth/desk-codes', 'admin', 'Hand a member a code to sign in once', {
    fresh: true,
    status: 201,
    body: input({ userId: Id }),
    reply: row('DeskCode', { code: z.string(), expires_at: Instant }),
    fails: ['auth.not_at_the_desk', 'auth.desk_limit', 'sync.not_on_a_laptop'],
  }),
  resetSignIn: endpoint(
    'POST /api/schools/members/:userId/reset-sign-in',
    'admin',
    'Let a member sign in by mail again after too many wrong codes, or without the second factor that they have lost',
    {
      notes: 'The second factor is no longer asked only of people whom the desk serves; the others are helped by the console alone.',
      fresh: true,
      reply: Done,
      fails: ['sync.not_on_a_laptop'],
    },
  ),
}
