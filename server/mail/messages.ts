import { type Device, deviceName } from '@markbook/shared/domain/device'
import { fullName } from '@markbook/shared/domain/full-name'
import { limits } from '@markbook/shared/limits'
import type { MailMessage } from './mailer.ts'

/** `code`: 8 digits; `site` is the address of the service (PUBLIC_URL), where the code is typed. */
export type SignInCode = { code: string; site: string }

/** The mail that carries a sign-in code. The code stands only in the text: subjects end up in the logs of mail servers. */
export function signInCodeMessage({ code, site }: SignInCode): Pick<MailMessage, 'subject' | 'text'> {
  const minutes = limits.otp.lifetimeMs / 60_000
  return {
    subject: 'Your code to sign in to Markbook',
    text: `Here is your code to sign in to Markbook:

    ${code.slice(0, code.length / 2)} ${code.slice(code.length / 2)}

To copy and paste it:

${code}

Type it at ${site}, on the page where you asked for it.
It works once, within ${minutes} minutes. A newer code replaces this one.

You did not ask for a code?
Then somebody has probably typed your address by mistake, and there
is nothing you need to do. Without the code nobody can sign in as
you, so do not pass it on, not even to somebody from your school.
`,
  }
}

/** `by` invites into `school`; `url` is the page where the invitation is answered. */
export type InvitationText = { school: string; by: { first_name: string | null; last_name: string | null }; url: string }

/** The mail that invites somebody into a school. The name of the school stands in the text only: a subject is one short line. */
export function invitationMessage({ school, by, url }: InvitationText): Pick<MailMessage, 'subject' | 'text'> {
  const days = limits.invitations.lifetimeMs / 86_400_000
  return {
    subject: 'You are invited to Markbook',
    text: `${fullName(by) || 'An administrator'} invites you to join ${school} in Markbook,
where the school keeps its marks and makes its reports.

Open this page to answer:

${url}

The invitation counts for ${days} days. A newer one replaces it.

You do not know the school?
Then somebody has probably typed your address by mistake, and there
is nothing you need to do.
`,
  }
}

/** What was new about an account; `at` is an instant. */
export type AccountNews = Device & {
  kind: 'sign_in' | 'totp' | 'recovery_codes' | 'passkey' | 'second_factor_off'
  address: string | null
  at: string
}

const NEWS: Record<AccountNews['kind'], { subject: string; text: string }> = {
  sign_in: { subject: 'Somebody signed in to Markbook as you', text: 'Somebody signed in to Markbook as you from a new place.' },
  totp: { subject: 'A new app signs you in to Markbook', text: 'An authenticator app was set up that can sign in to Markbook as you.' },
  recovery_codes: {
    subject: 'New codes on paper sign you in to Markbook',
    text: 'New codes were made that can sign in to Markbook as you.',
  },
  second_factor_off: {
    subject: 'A code by mail alone signs you in to Markbook again',
    text: 'Whoever has a code from your mail can now sign in to Markbook\nas you, without your app or a passkey.',
  },
  passkey: { subject: 'A new passkey signs you in to Markbook', text: 'A passkey was set up that can sign in to Markbook as you.' },
}

/** The mail that tells the owner of an account what was new about it. */
export function accountNewsMessage(news: AccountNews, site: string): Pick<MailMessage, 'subject' | 'text'> {
  const { kind, at, address } = news
  const { subject, text } = NEWS[kind]
  return {
    subject,
    text: `${text}

    Device:   ${deviceName(news)}
    Network:  ${address ?? 'not known'}
    When:     ${at.slice(0, 10)}, ${at.slice(11, 16)} UTC

Was that you? Then there is nothing you need to do.

If not, somebody else can act as you. Sign in, open
${site}/account, press «Sign out everywhere else»,
and make new codes or set up your app anew. Tell an
administrator of your school, too.
`,
  }
}
