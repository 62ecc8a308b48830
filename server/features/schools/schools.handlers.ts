import { type SchoolInput, schoolFailures, schools } from '@markbook/shared/contract/schools'
import { common } from '@markbook/shared/failures'
import type { Row } from '@markbook/shared/tables/tables'
import type { z } from 'zod'
import { type HandlerContext, type Handlers, on, onGuard, onOpen } from '../../http/handler.ts'
import { normalEmail } from '../../mail/emails.ts'
import { hostOf, isLoopback } from '../../network/addresses.ts'
import { backupsInShort } from '../../store/backup/in-short.ts'
import { lockedNode } from '../../store/node.ts'
import type { WriteTx } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { ownSchool } from '../policy.ts'
import { putCrest, withCrest } from './crest.ts'
import { joinRequestHandlers } from './join-requests.handlers.ts'
import { demandCodesInUse } from './mark-codes.policy.ts'
import { memberHandlers } from './members.handlers.ts'
import { schoolList } from './school-list.ts'
import { membershipOf } from './schools.policy.ts'
import { anySchool, pendingRequestsOf } from './schools.queries.ts'
import { demandSetupCode } from './setup-code.ts'
import { starterSubjects } from './starter-subjects.ts'

type Body = z.infer<typeof SchoolInput>

const contactOf = ({ address, email, phone }: Pick<Body, 'address' | 'email' | 'phone'>) => ({
  ...(address !== undefined && { address }),
  ...(email !== undefined && { email: email === null ? null : normalEmail(email) }),
  ...(phone !== undefined && { phone }),
})

/** A dedicated deployment has one school. Locks the node's row, so that concurrent requests cannot both create it. */
async function demandRoomForSchool({ tx, services }: Pick<HandlerContext<typeof schools.create>, 'tx' | 'services'>) {
  if (!services.config.dedicated) return
  await lockedNode(tx, {})
  if ((await anySchool(tx, {})).length > 0) throw schoolFailures.dedicated()
}

/** The founder, locked; 409 where they have an active school. A suspended membership does not count. */
async function founder(tx: WriteTx, userId: string): Promise<Row<'user_profile'>> {
  const profile = await tx.find('user_profile', '', userId)
  if (!profile) throw common.notFound()
  const [membership] = profile.school_id ? await membershipOf(tx, { school: profile.school_id, user: userId }) : []
  if (membership?.is_active) throw schoolFailures.alreadyInSchool()
  return profile
}

async function createSchool(tx: WriteTx, profile: Row<'user_profile'>, body: Body): Promise<Row<'school'>> {
  const id = tx.newId()
  const own = { id, name: body.name, code: body.code, school_type: body.schoolType, is_active: true }
  const school = await tx.insert('school', { ...own, ...contactOf(body) })
  await tx.insert('school_management', { school_id: id, user_id: profile.id, role: 'admin', is_active: true })
  await tx.update('user_profile', profile, { school_id: id })
  await tx.remove('school_join_request', await pendingRequestsOf(tx, { user: profile.id }))
  const subjects = body.starterSubjects ? starterSubjects(body.schoolType) : []
  const rows = subjects.map((subject) => ({ id: tx.newId(), school_id: id, ...subject }))
  await tx.insert('subject', rows)
  return school
}

export const schoolHandlers: Handlers<typeof schools> = {
  ...joinRequestHandlers,
  ...memberHandlers,

  list: onOpen(schools.list, ({ services }) => schoolList(services)),

  create: on(schools.create, {
    as: 'system',
    load: demandRoomForSchool,
    run: async ({ tx, caller, services }, { body }) => {
      await demandSetupCode(tx, services, body.setupCode)
      return createSchool(tx, await founder(tx, caller.user_id), body)
    },
  }),

  mine: on(schools.mine, { load: ownSchool, run: async ({ services }, _input, school) => withCrest(school, services.config.publicUrl) }),

  putCrest,

  addresses: onGuard(schools.addresses, async ({ services: { config, presence } }) => {
    const urls = config.publicUrlFollows ? (presence?.urls() ?? []) : [config.publicUrl]
    return { urls: urls.filter((url) => !isLoopback(hostOf(url))), duplicates: [...(presence?.duplicates?.() ?? [])] }
  }),

  backups: on(schools.backups, {
    load: ownSchool,
    run: async ({ services: { config, clock } }, _, { created_at }) => backupsInShort(config, clock.now(), created_at),
  }),

  updateMine: on(schools.updateMine, {
    load: ownSchool,
    run: async (
      { tx },
      { body: { name, markCodes, approvesReports, personalDataFor, schoolDays, documentLanguage, ...contact } },
      before,
    ) => {
      if (markCodes !== undefined) await demandCodesInUse(tx, before, markCodes)
      const own = columnsOf({ name, markCodes, approvesReports, personalDataFor, schoolDays, documentLanguage })
      return tx.update('school', before, { ...own, ...contactOf(contact) })
    },
  }),
}
