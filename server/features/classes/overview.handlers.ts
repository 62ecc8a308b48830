import { toInstant } from '@markbook/shared/clock'
import type { Reply } from '@markbook/shared/contract/endpoint'
import { overview, overviewFailures, type Reminder } from '@markbook/shared/contract/overview'
import { replicationFailures } from '@markbook/shared/contract/replication'
import { compareText, sortKey } from '@markbook/shared/domain/fold'
import { missingByPerson } from '@markbook/shared/domain/term-progress'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handler, type Handlers, on } from '../../http/handler.ts'
import { reminderMessage } from '../../mail/reminder.ts'
import { hostOf, isLoopback } from '../../network/addresses.ts'
import { countedKeys, take } from '../../store/attempts.ts'
import { pick } from '../../store/conditions.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { asSystem } from '../../store/tx.ts'
import { type OutdatedBooks, questionOf } from '../calculations/kept-results.policy.ts'
import { type PolicyContext, termOf, yearOf } from '../policy.ts'
import type { Period } from '../reports/freshness.policy.ts'
import { peopleOfSchool } from '../schools/schools.policy.ts'
import { reportingSchool } from './overview.queries.ts'
import { classesOfTerm, outdatedInYear } from './overview.ts'

/** The entity name of reminders in the history of a school. */
const REMINDER = 'reminder'
const { windowMs } = limits.reminders
const HOUR = 3_600_000

type OfTerm = { term: Row<'term'>; year: Row<'academic_year'> }

async function periodOf(context: PolicyContext, termId: string | undefined): Promise<OfTerm> {
  const term = await termOf(context, termId)
  return { term, year: await yearOf(context, term.academic_year_id) }
}

const keyOf = (school: string, person: string) => `reminder:${school}:${person}`

/** The server's URL; null for a loopback address, which the reader of a mail could not open. */
const reachedByOthers = (url: string): string | null => (isLoopback(hostOf(url)) ? null : url)

type ReminderRequest = { language: string | undefined; site: string | null; userIds?: readonly string[] | undefined }

/**
 * The people with missing work, by name, with their mail. Without suspended people, who cannot do it, and without the caller. Without
 * `outdated` the outdated books are counted here.
 */
async function remindersOf(
  context: PolicyContext,
  period: Period,
  { language, site, userIds }: ReminderRequest,
  outdated?: OutdatedBooks,
): Promise<Reminder[]> {
  const { tx, caller } = context
  const school = caller.school_id
  const { term, year, type } = period
  const isPersonAsked = (id: string) => id !== caller.user_id && (userIds?.includes(id) ?? true)
  const classes = await classesOfTerm(tx, caller, term, type)
  const led = new Set(classes.flatMap((one) => (one.class_teacher && isPersonAsked(one.class_teacher.id) ? one.class.id : [])))
  const counts = outdated ?? (await outdatedInYear(tx, period, (id) => led.has(id)))
  const outdatedByClassId = new Map(counts.map((one) => [one.student_group_id, one.outdated]))
  const byPerson = missingByPerson(classes.map((one) => ({ ...one, outdated: outdatedByClassId.get(one.class.id) ?? 0 })))
  const everybody = await peopleOfSchool(tx, { school })
  const members = everybody.filter(({ user_id, is_active }) => is_active && byPerson.has(user_id) && isPersonAsked(user_id))
  // Read without a lock, since reminding changes neither.
  const [own] = await reportingSchool(tx, { school })
  const by = everybody.find(({ user_id }) => user_id === caller.user_id)
  if (!own || !by) throw common.notFound()
  const keys = members.map(({ user_id }) => keyOf(school, user_id))
  const reminded = await countedKeys(tx, keys)
  const names = { term: term.name, year: year.name, isTerm: type === 'term' }
  const nameKey = ({ first_name, last_name, email }: (typeof members)[number]) =>
    `${sortKey(last_name ?? '', first_name ?? '')}\u0001${email}`
  members.sort((a, b) => compareText(nameKey(a), nameKey(b)))
  return members.map((member) => ({
    person: { id: member.user_id, ...pick(member, 'first_name', 'last_name') },
    email: member.email,
    is_reminded: reminded.has(keyOf(school, member.user_id)),
    ...reminderMessage({ language, school: own.name, by, period: names, missing: byPerson.get(member.user_id) ?? [], site }),
  }))
}

/** The counted books are cached until something in the school changes, since their calculation occupies a school's server for long. */
const reminders: Handler<typeof overview.reminders, OfTerm, unknown, () => Promise<Reply<typeof overview.reminders>>> = {
  kind: 'transaction',
  as: 'system',
  load: (context, { targets }) => periodOf(context, targets['termId']),
  run: async (context, { query }, of) => {
    const { store, config, mailer } = context.services
    const { language, reportType: type } = query
    const period = { ...of, type }
    const counted = await questionOf(context, 'outdated-books', [of.term.id, type], (tx) => outdatedInYear(tx, period), whole)
    return async () => {
      const outdated = (await counted()) as OutdatedBooks
      return store.read(asSystem(), async (tx) => {
        const people = await remindersOf({ ...context, tx }, period, { language, site: config.publicUrl }, outdated)
        return { can_mail: mailer.state().kind === 'smtp' && (await laptopOwner(tx)) === null, people }
      })
    }
  },
  finish: (list) => list(),
}
const whole = (counts: OutdatedBooks) => counts

export const overviewHandlers: Handlers<typeof overview> = {
  read: on(overview.read, {
    load: (context, { targets }) => termOf(context, targets['termId']),
    run: ({ tx, caller }, { query }, term) => classesOfTerm(tx, caller, term, query.reportType),
  }),

  reminders,

  remind: on(overview.remind, {
    as: 'system',
    load: async (context, { targets }) => {
      if ((await laptopOwner(context.tx)) !== null) throw replicationFailures.notOnALaptop()
      return periodOf(context, targets['termId'])
    },
    run: async (context, { body }, period) => {
      const { tx, caller, services, after } = context
      const { config, mailer } = services
      if (mailer.state().kind !== 'smtp') throw overviewFailures.noMail()
      // Before any counting, so that repeated requests cost little.
      const wait = await take(tx, `reminding:${caller.school_id}`, { max: limits.reminders.mailsPerHour, windowMs: HOUR })
      if (wait > 0) throw common.tooManyRequests({ headers: { 'retry-after': String(Math.ceil(wait / 1_000)) } })
      const { language, userIds, reportType: type } = body
      const asked = await remindersOf(context, { ...period, type }, { language, site: reachedByOthers(config.publicUrl), userIds })
      const mailed: Reminder[] = []
      for (const reminder of asked) {
        const { id } = reminder.person
        // One after the other, so that only one of two concurrent requests reminds a person.
        if ((await take(tx, keyOf(caller.school_id, id), { max: 1, windowMs })) > 0) continue
        mailed.push(reminder)
        const until = toInstant(tx.nowMs + windowMs)
        tx.note({ schoolId: caller.school_id, entity: REMINDER, id, action: 'create', changes: { term_id: period.term.id, until } })
      }
      after(() => {
        for (const { email: to, subject, text } of mailed)
          mailer.send({ to, lane: 'members', expiresAt: tx.nowMs + windowMs, subject, text })
      })
      return { sent: mailed.length, already_reminded: asked.length - mailed.length }
    },
  }),
}
