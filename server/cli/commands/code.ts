import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Command } from 'commander'
import { and, eq } from 'drizzle-orm'
import { issueConsoleCode } from '../../features/auth/issued-codes.ts'
import { setupCodeHere, setupLink } from '../../features/schools/setup-code.ts'
import { readNote } from '../../lan/running-note.ts'
import { normalEmail } from '../../mail/emails.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { atConsole } from '../console.ts'
import { addCommand } from '../help.ts'

export const codeCommand = (program: Command) =>
  addCommand(program, 'code', 'print a code to sign in once, or to found a school; the server may go on working', {
    about: `For when mail does not leave and nobody at the sign-in desk can help, above all for administrators.
Whoever may use this console may sign in as anybody; every code is written down in the history.
On a teacher's laptop nobody signs in but that teacher.
With --setup it prints what a new school is founded with instead; the code ends with the school.
Run it on the machine of the server, with the server's settings and under its account.`,
    examples: [
      'markbook code head@school.example',
      'sudo -u markbook markbook code head@school.example    where the server is a service',
      'markbook code --setup                                 to found the school',
    ],
    exits: {
      0: 'a code is printed',
      1: "there is none: a bad address, no database, one of another version, or another SESSION_SECRET than the server's",
    },
  })
    .argument('[email]', 'the address, of somebody known or new')
    .option('--setup', 'the code with which a school is founded on this server')
    .action(code)

async function code(typed: string | undefined, { setup = false }: { setup?: boolean }, command: Command) {
  if (setup === (typed !== undefined))
    command.error('Say either an address to sign in with, or --setup to found a school.', { exitCode: 2 })
  await (typed === undefined ? setupCode() : signInCode(typed))
}

async function setupCode() {
  await atConsole(async (at) => {
    const setup = await setupCodeHere(at)
    if (!setup) throw new Error('No code is needed here: there is the school of this server already, or founding is open to everybody.')
    console.log(`A school is founded here with this code:\n\n    ${setup.code}\n`)
    console.log(`Or open this page, which knows it: ${setupLink(readNote(at.config.dataDir)?.url ?? at.config.publicUrl, setup.code)}`)
    console.log('Whoever founds the school is its administrator. The code works for one school.')
  })
}

async function signInCode(typed: string) {
  const email = addressOf(typed)
  await atConsole(async ({ store, keys, config }) => {
    const { code, isNew } = await issueConsoleCode(store, email, keys)
    console.log(`A code for ${email}:\n\n    ${code}\n`)
    console.log(`It works once, within ${limits.otp.lifetimeMs / 60_000} minutes, on the sign-in page in place of a mailed code.`)
    if (!isNew) return
    console.log('Nobody has signed in with this address yet: the code makes a new account. Is it spelt right?')
    const admins = config.dedicated ? await store.read(asSystem(), administrators) : []
    if (admins.length > 0)
      console.log(`A new account belongs to no school until an administrator lets it in. Administrators here: ${admins.join(', ')}`)
  })
}

/** The addresses of the active administrators, in order; the console may sign in as each. */
async function administrators(tx: ReadTx): Promise<string[]> {
  const { school_management: member, user_profile: user } = tx.t
  const rows = await tx.db
    .select({ email: user.email })
    .from(member)
    .innerJoin(user, eq(user.id, member.user_id))
    .where(and(eq(member.role, 'admin'), eq(member.is_active, true)))
  return rows.map(({ email }) => email).sort()
}

function addressOf(typed: string): string {
  try {
    return normalEmail(typed)
  } catch (error) {
    throw error instanceof Failure ? new Error(`${typed} is not an address that mail can be sent to.`) : error
  }
}
