import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { Role } from './auth.ts'
import { endpoint } from './endpoint.ts'
import { Done, Email, Flag, Id, Instant, input, Person, row } from './scalars.ts'

const { perRequest, lifetimeMs } = limits.invitations

/** An unanswered invitation by an administrator. It is valid as long as its author is an administrator. */
const facts = {
  id: Id,
  email: z.string(),
  role: Role,
  invited_by: Person,
  invited_at: Instant,
  expires_at: Instant,
}
export const Invitation = row('Invitation', facts)
export type Invitation = z.infer<typeof Invitation>

/**
 * A new invitation. `code` signs its address in until it is answered, and is shown only now; null on a server for several schools, where
 * only a mail proves who owns an address. `url` is the sign-in page with address and code filled in; `mailed`: whether a mail with it is
 * sent.
 */
export const NewInvitation = row('NewInvitation', { ...facts, code: z.string().nullable(), url: z.string(), mailed: Flag })
export type NewInvitation = z.infer<typeof NewInvitation>

export const invitationFailures = failures('invitations', {
  tooMany: [409, `A school has at most ${limits.invitations.open} open invitations. Withdraw some, or wait until they are answered.`],
  dayLimit: [429, 'This school has sent as many invitations as it may in a day. Please wait.'],
})

export const invitations = {
  list: endpoint('GET /api/schools/invitations', 'admin', 'List who was invited and has not answered, by address', {
    reply: z.array(Invitation),
  }),
  invite: endpoint('POST /api/schools/invitations', 'admin', 'Invite people into the school by their addresses', {
    fresh: true,
    notes: `An invitation counts for ${lifetimeMs / 86_400_000} days. Who was invited before gets a new code, and the old one ends. \`members\` are the addresses of people who belong to the school already; they are left out.`,
    status: 201,
    body: input({
      people: z
        .array(input({ email: Email, role: Role }))
        .min(1)
        .max(perRequest),
      byMail: Flag.default(false),
    }),
    reply: row('Invited', { invitations: z.array(NewInvitation), members: z.array(z.string()) }),
    fails: ['invitations.too_many', 'invitations.day_limit', 'sync.not_on_a_laptop'],
  }),
  withdraw: endpoint('DELETE /api/schools/invitations/:id', 'admin', 'Withdraw an invitation', { reply: Done }),
}
