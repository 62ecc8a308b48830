import { z } from 'zod'
import { failures } from '../failures.ts'
import { endpoint } from './endpoint.ts'
import { choice, Done, Email, Fingerprint, input, Name, row } from './scalars.ts'

/**
 * The computer that the teachers' program runs on. `empty`: nobody has begun. `alone`: somebody works here without a school's server.
 * `copying`: it has joined, and what its person may see has not come yet. `joined`: it has. `can_join`: whether `join` would be taken.
 * `person` is whose computer it is, and is signed in by `enter`.
 */
export const Here = row('Here', {
  state: choice(['empty', 'alone', 'copying', 'joined']),
  can_join: z.boolean(),
  parent: z.object({ name: z.string() }).nullable(),
  person: z.object({ email: z.string(), first_name: z.string().nullable(), last_name: z.string().nullable() }).nullable(),
})
export type Here = z.infer<typeof Here>

export const windowFailures = failures('window', {
  notHere: [403, 'This is only for the window of Markbook on this computer. Close it and start Markbook again.'],
  cannotJoin: [409, 'This computer has joined a school already, or holds a school of its own.'],
  notEmpty: [409, 'Somebody has begun to work on this computer already.'],
  nobody: [409, 'It is not known whose computer this is. Please sign in.'],
})

/**
 * What the window of the teachers' program may do beside the contract, before anybody has signed in (decisions 310 and 311). Served only
 * where that program started the server, and only to its own window. `sync.not_trusted` carries the fingerprint of the certificate of
 * the school's own authority as an issue; sent back as `fingerprint` it is trusted from then on.
 */
export const windowContract = {
  here: endpoint({ method: 'GET', path: '/window/here', guard: 'none', summary: 'Say whose computer this is', reply: Here }),
  join: endpoint({
    method: 'POST',
    path: '/window/join',
    guard: 'none',
    summary: 'Join the school that an invitation for a laptop is from',
    body: input({ address: Name, code: Name, fingerprint: Fingerprint.optional() }),
    reply: Here,
    fails: ['window.cannot_join', 'sync.bad_address', 'sync.no_answer', 'sync.not_trusted', 'sync.not_let_in'],
  }),
  alone: endpoint({
    method: 'POST',
    path: '/window/alone',
    guard: 'none',
    summary: 'Begin without a school’s server, and sign in',
    body: input({ email: Email }),
    reply: Here,
    fails: ['window.not_empty'],
  }),
  enter: endpoint({
    method: 'POST',
    path: '/window/enter',
    guard: 'none',
    summary: 'Sign in whose computer this is',
    reply: Done,
    fails: ['window.nobody'],
  }),
}
