import type { Endpoint, Guard, Resource } from '@markbook/shared/contract/endpoint'
import type { Ask } from '../../testing/ask.ts'
import type { Actor } from './actors.ts'

/**
 * What is asked for and what niamh, ada, byrne, quinn, okafor and marker are answered, in this order: `ok`, a status, or a status
 * and its code (`409:reports.locked`). The three words of `others` are for nobody, tomas and doyle, where the endpoint's guard does
 * not say it already.
 */
export type Target = readonly [ask: Ask, staff: string, others?: string]
/** An endpoint's targets by name; `own` is a valid request of somebody at St Brigid's. */
export type Row = { own: Target } & Record<string, Target>
export type Rows<R extends Resource> = { [K in keyof R]: Row }

/** What the matrix asks of these is well formed, and refused all the same: a code that nobody was sent opens nothing. */
export const withoutCode: readonly string[] = [
  'auth.verifyOtp',
  'auth.prove',
  'passkeys.add',
  'passkeys.signIn',
  'passkeys.prove',
  'outage.confirmTotp',
  'replication.join',
]

export const ABSENT = '00000000-0000-7000-8000-999999999999'

const STAFF: readonly Actor[] = ['niamh', 'ada', 'byrne', 'quinn', 'okafor', 'marker']
const OTHERS: readonly Actor[] = ['nobody', 'tomas', 'doyle']
const OTHERS_BY_GUARD: Record<Guard, string> = {
  none: 'ok ok ok',
  session: 'ok ok ok',
  school: '403:no_school 403:no_school 403:inactive',
  staff: '403:no_school 403:no_school 403:inactive',
  admin: '403:no_school 403:no_school 403:inactive',
}

/** The answer that an actor is owed. */
export function expected(endpoint: Endpoint, [, staff, others = OTHERS_BY_GUARD[endpoint.guard]]: Target, actor: Actor): string {
  const words = (text: string) => text.trim().split(/\s+/)
  if (STAFF.includes(actor)) return words(staff)[STAFF.indexOf(actor)] ?? 'unsaid'
  if (OTHERS.includes(actor)) return words(others)[OTHERS.indexOf(actor)] ?? 'unsaid'
  return endpoint.guard === 'none' ? (words(staff)[0] ?? 'unsaid') : '401:unauthenticated'
}

/** Where two schools are asked for the same thing: an id of each, and one that nobody has. */
type Places = { own: string; hilltop: string }
type Of = (id: string) => Ask
const three = (of: Of, { own, hilltop }: Places, staff: Record<'own' | 'hilltop' | 'absent', string>): Row => ({
  own: [of(own), staff.own],
  hilltop: [of(hilltop), staff.hilltop],
  absent: [of(ABSENT), staff.absent],
})

// The columns:                   niamh ada byrne quinn okafor marker
export const everybody = '         ok    ok   ok   ok    ok    ok '
export const onlyStaff = '         403   ok   ok   ok    ok    ok '
export const onlyAdmins = '        403   403  403  403   ok    ok '

/** A row of the school's setup by id: anybody of the school reads it, administrators write it. */
export const setupRead = (of: Of, places: Places): Row =>
  three(of, places, {
    own: '    ok    ok    ok    ok    ok    404',
    hilltop: '404   404   404   404   404   ok ',
    absent: ' 404   404   404   404   404   404',
  })
export const setupWrite = (of: Of, places: Places): Row =>
  three(of, places, {
    own: '    403   403   403   403   ok    404',
    hilltop: '403   403   403   403   404   ok ',
    absent: ' 403   403   403   403   404   404',
  })
/** A row that all the staff of the school may use. */
export const staffUse = (of: Of, places: Places): Row =>
  three(of, places, {
    own: '    403   ok    ok    ok    ok    404',
    hilltop: '403   404   404   404   404   ok ',
    absent: ' 403   404   404   404   404   404',
  })

/** `own` is of 3B and `other` of 3A; ClassTeacherGuard says 403 to teachers whatever the class is. */
type ClassPlaces = Places & { other: string }
const HIDDEN_CLASS = {
  hilltop: '403   403   403   403   404   ok ',
  absent: ' 403   403   403   403   404   404',
}
/** Whatever is for those who teach in the class. */
export const readClass = (of: Of, places: ClassPlaces): Row => ({
  ...three(of, places, { own: '403   ok    ok    403   ok    404', ...HIDDEN_CLASS }),
  other: [of(places.other), '  403   403   403   ok    ok    404'],
})
/** Whatever is for the class teacher. */
export const manageClass = (of: Of, places: ClassPlaces): Row => ({
  ...three(of, places, { own: '403   403   ok    403   ok    404', ...HIDDEN_CLASS }),
  other: [of(places.other), '  403   403   403   ok    ok    404'],
})
/** A report or entry is loaded before anybody's rights are looked at. */
export const reportById = (of: Of, places: Places, own = '403   403   ok    403   ok    404'): Row =>
  three(of, places, {
    own,
    hilltop: '404   404   404   404   404   ok ',
    absent: ' 404   404   404   404   404   404',
  })
/** A student's results: for who teaches in the student's class. `own` is of 3B and `other` of 3A. */
export const resultsOf = (of: Of, places: ClassPlaces): Row => ({
  ...three(of, places, {
    own: '    403   ok    ok    403   ok    404',
    hilltop: '403   404   404   404   404   ok ',
    absent: ' 403   404   404   404   404   404',
  }),
  other: [of(places.other), '403   403   403   ok    ok    404'],
})
