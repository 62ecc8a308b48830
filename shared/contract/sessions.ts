import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { choice, Done, Flag, Id, Instant, row } from './scalars.ts'

/**
 * Where a session is used: `device` as text, its `program` and `system` by name, and the network `address`, null where unknown. The
 * address is not resolved to a place.
 */
const whereabouts = {
  device: z.string(),
  program: z.string().nullable(),
  system: z.string().nullable(),
  address: z.string().nullable(),
}

/** `last_used_at` and `address` are written at most every ten minutes. */
const OwnSession = row('OwnSession', {
  id: Id,
  ...whereabouts,
  created_at: Instant,
  last_used_at: Instant,
  is_current: Flag,
})

/**
 * `sign_in`: from a device or network that the account did not use in the last 90 days. The others: an app or passkey was set up, recovery
 * codes were made, the second factor was switched off.
 */
const NoticeKind = choice(['sign_in', 'totp', 'recovery_codes', 'passkey', 'second_factor_off'])

const AccountNotice = row('AccountNotice', { id: Id, kind: NoticeKind, at: Instant, ...whereabouts })

const HERE = 'Sessions of this server alone: every other one, a laptop’s too, has its own.'

export const sessions = {
  list: endpoint('GET /api/auth/sessions', 'session', 'List where one is signed in, this session first, then by last use', {
    notes: HERE,
    reply: z.array(OwnSession),
  }),
  end: endpoint('DELETE /api/auth/sessions/:id', 'session', 'End one of the own sessions', { fresh: true, reply: Done }),
  endOthers: endpoint('DELETE /api/auth/sessions', 'session', 'Sign out everywhere else', { fresh: true, notes: HERE, reply: Done }),
  endMembers: endpoint('DELETE /api/schools/members/:userId/sessions', 'admin', 'Sign a member out everywhere', {
    fresh: true,
    notes: HERE,
    reply: Done,
    fails: ['sync.not_on_a_laptop'],
  }),
  notices: endpoint('GET /api/auth/notices', 'session', 'List what was new about the own account in the last 30 days, newest first', {
    notes: 'Without what this session did itself.',
    reply: z.array(AccountNotice),
  }),
  dismiss: endpoint('DELETE /api/auth/notices/:id', 'session', 'Say that a notice about the own account was seen', { reply: Done }),
}
