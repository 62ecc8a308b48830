import { storyId, userIdOf } from './ids.ts'
import { membershipRow, schoolRow } from './rows.ts'

export type Person = {
  id: string
  email: string
  first_name: string | null
  last_name: string | null
  school_id: string | null
  role: 'admin' | 'teacher' | 'member' | null
  is_active: boolean
}

export const stBrigids = storyId('school', 1, 1)
export const hilltop = storyId('school', 2, 1)

type Membership = Pick<Person, 'school_id' | 'role'> & { is_active?: boolean }
const person = (
  email: string,
  first_name: string | null,
  last_name: string | null,
  place: Membership = { school_id: null, role: null },
): Person => ({
  id: userIdOf(email),
  email,
  first_name,
  last_name,
  is_active: true,
  ...place,
})
const at = (school_id: string, role: Person['role'], is_active = true): Membership => ({ school_id, role, is_active })

/** Every person whom the tests name. */
export const people = {
  /** Headteacher, administrator of St Brigid's. */
  okafor: person('ngozi.okafor@stbrigids.example', 'Ngozi', 'Okafor', at(stBrigids, 'admin')),
  /** Class teacher of 3B, who also teaches English there. */
  byrne: person('cathal.byrne@stbrigids.example', 'Cathal', 'Byrne', at(stBrigids, 'teacher')),
  /** Teaches only mathematics, in 3B. */
  ada: person('ada.nowak@stbrigids.example', 'Ada', 'Nowak', at(stBrigids, 'teacher')),
  /** Class teacher of 3A. */
  quinn: person('sile.quinn@stbrigids.example', 'Síle', 'Quinn', at(stBrigids, 'teacher')),
  /** Not teaching staff. */
  niamh: person('niamh.walsh@stbrigids.example', 'Niamh', 'Walsh', at(stBrigids, 'member')),
  /** An administrator whose account was switched off. */
  doyle: person('martin.doyle@stbrigids.example', 'Martin', 'Doyle', at(stBrigids, 'admin', false)),
  /** Asked to join St Brigid's and waits. */
  tomas: person('tomas.keane@mail.example', 'Tomás', 'Keane'),
  /** Signed in once, without a school or a request. */
  nobody: person('new.person@mail.example', null, null),
  /** Administrator of the neighbour. */
  marker: person('hilltop.marker@hilltop.example', 'Hilltop-Marker', 'Hilltop-Head', at(hilltop, 'admin')),
  /** Class teacher at the neighbour. */
  markerTeacher: person('hilltop.teacher@hilltop.example', 'Hilltop-Marker', 'Hilltop-Teacher', at(hilltop, 'teacher')),
} as const satisfies Record<string, Person>
export type PersonName = keyof typeof people

export const schools = [
  schoolRow(stBrigids, 'St Brigid’s', '4 Mill Road, Kildare'),
  schoolRow(hilltop, 'Hilltop-Marker School', 'Hilltop-Marker Lane'),
]

export const memberships = Object.values(people)
  .filter((someone) => someone.school_id !== null)
  .map(({ id, school_id, role, is_active }) => membershipRow(id, school_id ?? '', role ?? 'member', is_active))

export const joinRequests = [
  {
    id: storyId('request', 1, 1),
    school_id: stBrigids,
    user_id: people.tomas.id,
    status: 'pending' as const,
    message: 'I start in September.',
    requested_at: '2026-01-10T09:00:00.000Z',
    reviewed_at: null,
    reviewed_by: null,
  },
]
