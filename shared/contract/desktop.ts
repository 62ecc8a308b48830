import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Email, Fingerprint, input, Name, row } from './scalars.ts'
import { Erased } from './sign-in-methods.ts'

/**
 * The computer on which the desktop app runs. `empty`: not set up. `alone`: used without a school's server. `copying`: joined to a school,
 * whose rows are still being copied. `joined`: the copy is complete. `can_join`: `join` is allowed. `person` is the owner of the computer,
 * whom `enter` signs in. `erased` as in the sign-in methods. `setup_code`: the code with which a school is founded on it.
 */
export const DesktopStatus = row('DesktopStatus', {
  state: choice(['empty', 'alone', 'copying', 'joined']),
  can_join: z.boolean(),
  parent: z.object({ name: z.string() }).nullable(),
  person: z.object({ email: z.string(), first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable(),
  erased: Erased.optional(),
  setup_code: z.string().optional(),
})
export type DesktopStatus = z.infer<typeof DesktopStatus>

export const desktopFailures = failures('window', {
  notHere: [403, 'This is only for the window of Markbook on this computer. Close it and start Markbook again.'],
  cannotJoin: [409, 'This computer has joined a school already, or holds a school of its own.'],
  notEmpty: [409, 'Somebody has begun to work on this computer already.'],
  nobody: [409, 'It is not known whose computer this is. Please sign in.'],
})

/**
 * What the window of the desktop app may call before anybody has signed in (docs/design/desktop.md). Served only where the desktop app
 * started the server, and only to its own window. `sync.not_trusted` carries the fingerprint of the school's certificate authority as an
 * issue; a client that sends it back as `fingerprint` trusts that authority.
 */
export const desktopContract = {
  here: endpoint('GET /window/here', 'none', 'Say whose computer this is', { reply: DesktopStatus }),
  join: endpoint('POST /window/join', 'none', 'Join the school that an invitation for a laptop is from', {
    body: input({ address: Name, code: Name, fingerprint: Fingerprint.optional() }),
    reply: DesktopStatus,
    fails: ['window.cannot_join', 'sync.bad_address', 'sync.insecure_address', 'sync.no_answer', 'sync.not_trusted', 'sync.not_let_in'],
  }),
  alone: endpoint('POST /window/alone', 'none', 'Begin without a school’s server, and sign in', {
    body: input({ email: Email }),
    reply: DesktopStatus,
    fails: ['window.not_empty'],
  }),
  enter: endpoint('POST /window/enter', 'none', 'Sign in whose computer this is', { reply: Done, fails: ['window.nobody'] }),
}
