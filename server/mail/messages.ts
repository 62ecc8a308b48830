import { limits } from '@markbook/shared/limits'
import type { MailMessage } from './mailer.ts'

/** `code`: 8 digits; `site` is the address of the service (PUBLIC_URL), where the code is typed. */
export type SignInCode = { code: string; site: string }

/** The mail that carries a sign-in code. The code stands only in the text: subjects end up in the logs of mail servers. */
export function signInCodeMessage({ code, site }: SignInCode): Pick<MailMessage, 'subject' | 'text'> {
  const minutes = limits.otp.lifetime / 60_000
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
