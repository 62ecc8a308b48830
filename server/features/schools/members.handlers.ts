import { type Member, schoolFailures, schools } from '@markbook/shared/contract/schools'
import { compareText, sortKey } from '@markbook/shared/domain/fold'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { SchoolCaller } from '../../http/caller.ts'
import { type Handlers, on, onGuard } from '../../http/handler.ts'
import { pick } from '../../store/conditions.ts'
import { isReferenceViolation } from '../../store/errors.ts'
import type { WriteTx } from '../../store/tx.ts'
import { failureFor } from '../references.ts'
import { setsTaughtBy } from '../teaching-sets/teaching-sets.policy.ts'
import { classesLedBy, groupAssignmentsOf, membersOf, subjectAssignmentsOf } from './members.queries.ts'
import { demandAnotherAdmin, membershipOf } from './schools.policy.ts'

type Membership = Row<'school_management'>
type Profile = Row<'user_profile'>
type Loaded = { profile: Profile; membership: Membership }

/** Members without a name come last, by address. */
const orderOf = ({ first_name, last_name, email }: Member) =>
  `${last_name === null && first_name === null ? 1 : 0}${sortKey(last_name ?? '', first_name ?? '')}\u0001${email}`

const shown = (profile: Profile, membership: Membership): Member => ({
  ...pick(profile, 'email', 'first_name', 'last_name'),
  ...pick(membership, 'user_id', 'role', 'is_active'),
  joined_at: membership.created_at,
})

/**
 * Loads a member of the caller's school for a change. Locks the school's row first, then the person and the membership, so that two
 * administrators who demote or remove each other at once are served one after the other.
 */
async function memberUnderLock(tx: WriteTx, { school_id }: SchoolCaller, userId: string): Promise<Loaded> {
  await tx.find('school', school_id, school_id)
  const profile = await tx.find('user_profile', '', userId)
  const [membership] = await membershipOf(tx, { school: school_id, user: userId })
  if (!profile || !membership) throw common.notFound()
  return { profile, membership }
}

/** A class always has a class teacher: a class teacher must hand the class over first (docs/design/school.md). */
async function demandLeadsNoClass(tx: WriteTx, { school_id, user_id }: Membership) {
  const classes = await classesLedBy(tx, { school: school_id, user: user_id })
  if (classes.length === 0) return
  const names = classes
    .slice(0, 5)
    .map(({ name, year }) => `${name} (${year})`)
    .join(', ')
  const list = classes.length > 5 ? `${names} and ${classes.length - 5} more` : names
  throw schoolFailures.leadsClasses({ message: `Class teacher of ${list}. Hand over first, or make the account inactive instead.` })
}

async function removeAssignments(tx: WriteTx, { school_id: school, user_id: user }: Membership) {
  await tx.remove('teacher_subject_assignment', await subjectAssignmentsOf(tx, { school, user }))
  await tx.remove('teaching_set_teacher', await setsTaughtBy(tx, { school, user }))
  const assignments = await groupAssignmentsOf(tx, { school, user })
  await tx.remove('teacher_group_assignment', assignments).catch(failureFor(isReferenceViolation, schoolFailures.leadsClasses))
}

export const memberHandlers = {
  members: onGuard(schools.members, async ({ tx, caller }) => {
    const members = await membersOf(tx, { school: caller.school_id })
    return members.sort((a, b) => compareText(orderOf(a), orderOf(b)))
  }),

  updateMember: on(schools.updateMember, {
    as: 'system',
    load: ({ tx, caller }, { params }) => memberUnderLock(tx, caller, params.userId),
    run: async ({ tx }, { body }, { profile, membership }) => {
      const patch = { role: body.role ?? membership.role, is_active: body.isActive ?? membership.is_active }
      if (patch.role !== 'admin' || !patch.is_active) await demandAnotherAdmin(tx, membership)
      return shown(profile, await tx.update('school_management', membership, patch))
    },
  }),

  removeMember: on(schools.removeMember, {
    as: 'system',
    load: ({ tx, caller }, { params }) => memberUnderLock(tx, caller, params.userId),
    run: async ({ tx }, _input, { profile, membership }) => {
      await demandAnotherAdmin(tx, membership)
      await demandLeadsNoClass(tx, membership)
      await removeAssignments(tx, membership)
      await tx.remove('school_management', [membership])
      if (profile.school_id === membership.school_id) await tx.update('user_profile', profile, { school_id: null })
      return { message: 'The member was removed from the school.' }
    },
  }),
} satisfies Partial<Handlers<typeof schools>>
