import { z } from 'zod'
import { printedLetters } from '../domain/printed-code.ts'
import { failures } from '../failures.ts'
import { Assertion } from './credentials.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Email, Flag, Id, Instant, input, Name, row, say } from './scalars.ts'

export const Role = choice(['admin', 'teacher', 'member'])
export const JoinStatus = choice(['pending', 'approved', 'rejected'])
export const SchoolRef = row('SchoolRef', { id: Id, name: z.string() })

/** `role` and `school` mirror the active membership; null while there is none (decisions §3). */
export const Profile = row('Profile', {
  id: Id,
  email: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  role: Role.nullable(),
  avatar_url: z.string().nullable(),
  school_id: Id.nullable(),
  school: SchoolRef.nullable(),
  is_onboarded: Flag,
  pending_join_request: z.object({ id: Id, status: JoinStatus, requested_at: Instant, school: SchoolRef }).nullable(),
})
export type Profile = z.infer<typeof Profile>

/** `expires_in` in seconds, `expires_at` in seconds since 1970. */
const Session = row('Session', { access_token: z.string(), expires_in: z.int(), expires_at: z.int() })
const RefreshedSession = row('RefreshedSession', {
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.int(),
  expires_at: z.int(),
})

/** `joinRequest` only when this call made one; then `school_id` and `school` are null. */
const Onboarded = row('Onboarded', {
  id: Id,
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  school_id: Id.nullable(),
  school: SchoolRef.nullable(),
  joinRequest: z.object({ id: Id, school_id: Id, status: JoinStatus }).optional(),
})

/** A membership of the caller in a school; `is_active` is false where an administrator has suspended it. */
const OwnSchoolPlace = row('OwnSchoolPlace', { school: SchoolRef, role: Role, is_active: Flag })

const TOKEN_SENTENCE = 'must be the 8 digits of the code'
/** The digits of a code. Spaces are removed, since a copied code may contain them. */
export const Token = z
  .string(say(TOKEN_SENTENCE))
  .overwrite((code) => code.replace(/\s/g, ''))
  .regex(/^[0-9]{8}$/, TOKEN_SENTENCE)

const SIGN_IN_SENTENCE = `${TOKEN_SENTENCE}, or the 16 letters and digits of a printed one`
const PRINTED = /^[A-Z2-7]{16}$/
/** Sixteen characters are a printed code, in capitals or small letters, with or without dashes between them. */
function bareCode(typed: string): string {
  const printed = printedLetters(typed)
  return PRINTED.test(printed) ? printed : typed.replace(/\s/g, '')
}
/** A sign-in code of any kind: the 8 digits of `Token`, or a printed code. */
const SignInToken = z
  .string(say(SIGN_IN_SENTENCE))
  .overwrite(bareCode)
  .regex(/^(?:[0-9]{8}|[A-Z2-7]{16})$/, SIGN_IN_SENTENCE)

/** The second factor beside a mailed code, for people who have chosen one: a code of their app, a printed code, or a passkey. */
const Second = input({ token: SignInToken.optional(), credential: Assertion.optional() }).refine(
  ({ token, credential }) => (token === undefined) !== (credential === undefined),
  { message: 'takes either a token or a credential' },
)

/** The codes of the sign-in page. Decisions §3 name them without a resource. */
export const otpFailures = failures('', {
  otpInvalid: [400, 'That code is not right, or it is no longer valid. Please ask for a new one.'],
  otpLocked: [429, 'There were too many wrong codes. Please wait before you try again.'],
  otpTooSoon: [429, 'A code was sent a moment ago. Please wait before you ask for another one.'],
})

export const authFailures = failures('auth', {
  notAMember: [403, 'You are not a member of that school.'],
  secondNeeded: [401, 'The code by mail is right. Please give your second factor too: a code of your app or from paper, or a passkey.'],
  secondInvalid: [400, 'The second code or passkey is not right. Please try again, or use another.'],
  mailIsNotEnough: [403, 'A code by mail is not enough here, as you chose. Please use your app, a passkey, or a code from paper.'],
  freshProofNeeded: [403, 'Please show once more that it is you, with a code or by signing in again. Then try again.'],
})

export const auth = {
  sendOtp: endpoint('POST /api/auth/otp/send', 'none', 'Send a one-time code by email', {
    body: input({ email: Email }),
    reply: Done,
    fails: ['otp_too_soon'],
  }),
  verifyOtp: endpoint('POST /api/auth/otp/verify', 'none', 'Sign in with a one-time code', {
    notes:
      'Where the account asks for a second factor beside a code by mail, 401 `auth.second_needed` says so; the code goes on to count, and is sent again with `second`.',
    body: input({ email: Email, token: SignInToken, second: Second.optional() }),
    reply: z.object({ session: Session, user: Profile }),
    fails: [
      'otp_invalid',
      'otp_locked',
      'others_laptop',
      'auth.second_needed',
      'auth.second_invalid',
      'passkeys.needs_a_name',
      'passkeys.refused',
    ],
  }),
  me: endpoint('GET /api/auth/me', 'session', 'Read the own profile', { reply: Profile }),
  schools: endpoint('GET /api/auth/schools', 'session', 'List the schools that one belongs to, by name', {
    reply: z.array(OwnSchoolPlace),
  }),
  refresh: endpoint('POST /api/auth/refresh', 'session', 'Renew the session where its access has expired', { reply: RefreshedSession }),
  onboard: endpoint('PATCH /api/auth/onboard', 'session', 'Save the own name, and ask to join a school', {
    body: input({ firstName: Name, lastName: Name, schoolId: Id.nullish() }),
    reply: Onboarded,
    fails: ['schools.pending_request', 'schools.already_member'],
  }),
  updateProfile: endpoint('PATCH /api/auth/profile', 'session', 'Change the own name or the active school', {
    body: input({ firstName: Name, lastName: Name, schoolId: Id }).partial(),
    reply: Profile,
    fails: ['auth.not_a_member'],
  }),
  prove: endpoint('POST /api/auth/proof', 'session', 'Show with a code that it is still oneself', {
    notes: `Any code that would sign the caller in. For this session it opens what needs a fresh proof, until \`fresh_until\`.`,
    body: input({ token: SignInToken }),
    reply: row('FreshProof', { fresh_until: Instant }),
    fails: ['otp_invalid', 'otp_locked', 'auth.mail_is_not_enough'],
  }),
  logout: endpoint('POST /api/auth/logout', 'session', 'Sign out', { reply: Done }),
}
