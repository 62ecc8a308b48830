import { people, stBrigids } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEW_PEER } from '../replication/identity/enrolment.ts'
import { type ListedNode, nodesText } from './node-list.ts'

const ID = '01890000-0000-7000-8000-00000000a1a1'
const node = (peer: Partial<ListedNode['peer']>, more: Partial<Omit<ListedNode, 'peer'>> = {}): ListedNode => ({
  peer: {
    ...NEW_PEER,
    id: ID,
    side: 'child',
    kind: 'laptop',
    name: 'STAFF-PC-07',
    school_id: stBrigids,
    user_id: people.ada.id,
    node_id: ID,
    public_key: '',
    box_key: '',
    enrolled_at: '2026-01-05T08:00:00.000Z',
    last_seen_at: '2026-01-12T08:00:00.000Z',
    ...peer,
  },
  person: people.ada,
  school: 'St Brigid’s',
  waits: { rows: 0, oldest: null },
  successor: null,
  isNamesake: false,
  ...more,
})
const ofServer = { person: null }
const parent = node(
  { side: 'parent', kind: 'centre', their_cursor: 'far', name: 'The ministry', url: 'https://markbook.ministry.example', user_id: null },
  ofServer,
)
const now = Date.parse('2026-01-12T10:00:00.000Z')
const text = (nodes: readonly ListedNode[], hasSchools = false) => `\n${nodesText(nodes, { hasSchools, now }).join('\n')}\n`

describe('the list of nodes, on a machine in Kathmandu', () => {
  const zone = process.env['TZ']
  beforeAll(() => {
    process.env['TZ'] = 'Asia/Kathmandu'
  })
  afterAll(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  test('says of each node what it is, since when, when it was heard and what waits, in local time', () => {
    const lines = text([
      { ...parent, waits: { rows: 2, oldest: '2026-01-12T07:30:00.000Z' } },
      node({}, { waits: { rows: 1, oldest: null } }),
      node({ name: 'Library PC', kind: 'school', user_id: null, last_seen_at: null }, { ...ofServer, waits: null }),
      node({ name: 'Old', user_id: people.byrne.id, revoked_at: '2026-01-06T20:00:00.000Z' }, { person: people.byrne }),
    ])
    expect(lines).toMatchInlineSnapshot(`
      "
      NAME          WHAT IT IS                                      LAST HEARD
      The ministry  the centre that this one joined                 12 Jan 2026, 13:45
                    https://markbook.ministry.example
                    joined 5 Jan 2026; 2 changes wait to be sent, for 2 hours now
      STAFF-PC-07   laptop of Ada Nowak                             12 Jan 2026, 13:45
                    joined 5 Jan 2026; 1 change waits for it
      Library PC    server of St Brigid’s                           never
                    joined 5 Jan 2026; has copied nothing yet
      Old           laptop of Cathal Byrne                          12 Jan 2026, 13:45
                    joined 5 Jan 2026; revoked on 7 Jan 2026, 01:45
      "
    `)
  })

  test('names the school where there are several, and the id of a name that two nodes have', () => {
    const twice = { isNamesake: true }
    const unknown = node({ kind: 'school', user_id: null }, { ...ofServer, ...twice, school: null, waits: null })
    const school = node({ side: 'parent', kind: 'school' })
    expect(text([school])).toMatch(/the school’s server that this one joined .*\n.*; nothing has come from there yet\n/)
    expect(text([parent])).toContain('; nothing waits to be sent\n')
    expect(text([node({}, twice), unknown], true)).toMatchInlineSnapshot(`
      "
      NAME         WHAT IT IS                                       LAST HEARD
      STAFF-PC-07  laptop of Ada Nowak, St Brigid’s                 12 Jan 2026, 13:45
                   joined 5 Jan 2026; nothing waits for it
                   id 01890000-0000-7000-8000-00000000a1a1
      STAFF-PC-07  server of a school whose rows have not come yet  12 Jan 2026, 13:45
                   joined 5 Jan 2026; has not copied everything yet
                   id 01890000-0000-7000-8000-00000000a1a1
      "
    `)
  })

  test('stays within 80 columns with a long name and a copied node', () => {
    const name = 'The computer of the school library on the second floor'
    const successor = { name: `${name} (2)`, at: '2026-01-08T08:00:00.000Z', bothHeard: true }
    const lines = nodesText([node({ name }, { successor }), parent], { hasSchools: false, now })
    expect(lines.filter((line) => [...line].length > 80)).toEqual([])
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain('and both are heard: one is a copy. Revoke the one that should not be.')
  })

  test('says since when a laptop is to be erased, and when it was', () => {
    const asked = { wipe_asked_at: '2026-01-12T06:00:00.000Z', revoked_at: '2026-01-06T20:00:00.000Z' }
    expect(text([node(asked)])).toContain('to be erased, asked on 12 Jan 2026, 11:45')
    const done = text([node({ ...asked, wiped_at: '2026-01-12T07:00:00.000Z' })])
    expect(done.replaceAll(/\s+/g, ' ')).toContain('erased on 12 Jan 2026, 12:45, as asked on 12 Jan 2026, 11:45')
  })
})
