import { toInstant } from '@markbook/shared/clock'
import { type Invitation, invitationFailures, invitations, type NewInvitation } from '@markbook/shared/contract/invitations'
import { replicationFailures } from '@markbook/shared/contract/replication'
import { fullName } from '@markbook/shared/domain/full-name'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { and, asc, eq, getTableColumns, gt, lte } from 'drizzle-orm'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import type { Services } from '../../http/services.ts'
import { normalEmail } from '../../mail/emails.ts'
import { invitationMessage } from '../../mail/messages.ts'
import { count, countOf } from '../../store/attempts.ts'
import { pick } from '../../store/conditions.ts'
import { codeHash, grouped, newPrintedCode } from '../../store/encryption.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { rowsBy, statement } from '../../store/statement.ts'
import type { WriteTx } from '../../store/tx.ts'
import { closeInvitation, INVITATION } from './invitations.policy.ts'
import { membersOf } from './members.queries.ts'

const { open, perDay, lifetimeMs } = limits.invitations
const DAY = 86_400_000

const invitationsOf = statement<{ school: string; now: string }>()(({ db, t: { school_invitation, user_profile }, p }) =>
  db
    .select({ ...getTableColumns(school_invitation), ...pick(user_profile, 'first_name', 'last_name') })
    .from(school_invitation)
    .leftJoin(user_profile, eq(user_profile.id, school_invitation.invited_by))
    .where(and(eq(school_invitation.school_id, p.school), gt(school_invitation.expires_at, p.now)))
    .orderBy(asc(school_invitation.email)),
)
const byId = rowsBy('school_invitation', { school: 'school_id', id: 'id' })

type Inviter = Pick<Row<'user_profile'>, 'first_name' | 'last_name'>
const shown = (
  invitation: Row<'school_invitation'>,
  { first_name, last_name }: { [K in keyof Inviter]: Inviter[K] | null },
): Invitation => ({
  ...pick(invitation, 'id', 'email', 'role', 'invited_at', 'expires_at'),
  invited_by: { id: invitation.invited_by, first_name, last_name },
})

type LinkContent = { school: string; by: Inviter; email: string; code: string | null }

/**
 * The URL for answering an invitation: the page shows inviter and school, with address and code filled in. These are behind `#`, which
 * browsers do not send to a server.
 */
function linkOf({ publicUrl }: Services['config'], { school, by, email, code }: LinkContent): string {
  const name = fullName(by)
  const said = new URLSearchParams({ email, ...(code !== null && { code }), school, ...(name && { by: name }) })
  return `${publicUrl}/sign-in#${said}`
}

/** Counts a school's invitations of the day, and deletes expired ones; throws 409 or 429 where a limit is reached. */
async function demandRoom(tx: WriteTx, school: string, added: number): Promise<void> {
  const { school_invitation } = tx.t
  await tx.local.delete(school_invitation).where(and(eq(school_invitation.school_id, school), lte(school_invitation.expires_at, tx.now)))
  if ((await tx.db.$count(school_invitation, eq(school_invitation.school_id, school))) + added > open) throw invitationFailures.tooMany()
  const today = `invitations:${school}`
  if ((await countOf(tx, today)) + added > perDay) throw invitationFailures.dayLimit()
  await count(tx, today, DAY, added)
}

export const invitationHandlers: Handlers<typeof invitations> = {
  list: onGuard(
    invitations.list,
    async ({ tx, caller }) =>
      (await invitationsOf(tx, { school: caller.school_id, now: tx.now })).map((invitation) => shown(invitation, invitation)),
    'system',
  ),

  invite: on(invitations.invite, {
    as: 'system',
    load: async ({ tx, caller }) => {
      if ((await laptopOwner(tx)) !== null) throw replicationFailures.notOnALaptop()
      const school = await tx.find('school', caller.school_id, caller.school_id)
      const inviter = await tx.find('user_profile', '', caller.user_id)
      if (!school || !inviter) throw common.notFound()
      return { school, inviter }
    },
    run: async ({ tx, services, after }, { body }, { school, inviter }) => {
      const { config, keys, mailer } = services
      const known = new Set((await membersOf(tx, { school: school.id })).map(({ email }) => email))
      const asked = new Map(body.people.map(({ email, role }) => [normalEmail(email), role]))
      const invited = [...asked].filter(([email]) => !known.has(email))
      await demandRoom(tx, school.id, invited.length)
      const mailed = body.byMail && mailer.state().kind === 'smtp'
      const expires_at = toInstant(tx.nowMs + lifetimeMs)
      const { school_invitation } = tx.t
      const made: NewInvitation[] = []
      for (const [email, role] of invited) {
        // With several schools on the server, a code would let an administrator sign in as a person whose mail they cannot read.
        const code = config.dedicated ? newPrintedCode() : null
        const code_hash = code === null ? null : codeHash(email, code, keys.otp)
        const row = { id: tx.newId(), role, code_hash, invited_by: inviter.id, invited_at: tx.now, expires_at }
        await tx.local
          .insert(school_invitation)
          .values({ school_id: school.id, email, ...row })
          .onConflictDoUpdate({ target: [school_invitation.school_id, school_invitation.email], set: row })
        tx.note({ schoolId: school.id, entity: INVITATION, id: row.id, action: 'create', changes: { email, role, expires_at } })
        made.push({
          ...shown({ school_id: school.id, email, ...row }, inviter),
          code: code && grouped(code),
          url: linkOf(config, { school: school.name, by: inviter, email, code: code && grouped(code) }),
          mailed,
        })
      }
      if (mailed)
        after(() => {
          for (const { email: to, url } of made)
            mailer.send({ to, lane: 'members', expiresAt: tx.nowMs + DAY, ...invitationMessage({ school: school.name, by: inviter, url }) })
        })
      return { invitations: made, members: [...asked.keys()].filter((email) => known.has(email)) }
    },
  }),

  withdraw: on(invitations.withdraw, {
    as: 'system',
    load: async ({ tx, caller }, { params }) => {
      const [invitation] = await byId(tx, { school: caller.school_id, id: params.id })
      if (!invitation) throw common.notFound()
      return invitation
    },
    run: async ({ tx }, _input, invitation) => {
      await closeInvitation(tx, invitation, 'delete')
      return { message: `The invitation of ${invitation.email} was withdrawn.` }
    },
  }),
}
