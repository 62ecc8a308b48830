import type { passkeys } from '@markbook/shared/contract/passkeys'
import { storyId } from '@markbook/shared/story/ids'
import { hilltop, people, stBrigids } from '@markbook/shared/story/people'
import { asSystem } from '../../store/tx.ts'
import type { School } from '../../testing/school.ts'
import { ABSENT, everybody, type Rows } from './row.ts'

export const passkeyIds = { own: storyId('request', 1, 93), hilltop: storyId('request', 2, 93) }
const furnishings = [
  { school: stBrigids, user_id: people.okafor.id, id: passkeyIds.own },
  { school: hilltop, user_id: people.marker.id, id: passkeyIds.hilltop },
]
const passkey = (id: string, user_id: string) => ({
  id,
  user_id,
  credential_id: id,
  host: 'markbook.test',
  public_key: '',
  counter: 0,
  transports: [],
  name: 'A telephone',
  created_at: '2026-01-12T08:00:00.000Z',
  last_used_at: null,
})

/** Mrs Okafor, and the administrator of Hilltop, have a passkey. */
export async function furnishPasskeys(st: School, schools: readonly string[]): Promise<void> {
  await st.services.store.write(asSystem(), async (tx) => {
    for (const { user_id, id } of furnishings.filter(({ school }) => schools.includes(school)))
      await tx.local.insert(tx.t.passkey).values(passkey(id, user_id))
  })
}

const one = (id: string) => ({ params: { id } })
const credential = (response: object) => ({ id: 'AAAA', rawId: 'AAAA', type: 'public-key', response })
/** Of nobody's; that a right one counts is for the tests of passkeys. */
const assertion = { body: { credential: credential({ clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }) } }
const made = { body: { name: 'My telephone', credential: credential({ clientDataJSON: 'AAAA', attestationObject: 'AAAA' }) } }
const refused = [Array(6).fill('400:passkeys.refused').join(' '), Array(3).fill('400:passkeys.refused').join(' ')] as const

export const passkeyRows: Rows<typeof passkeys> = {
  list: { own: [{}, everybody] },
  begin: { own: [{}, everybody] },
  add: { own: [made, ...refused] },
  remove: {
    own: [one(passkeyIds.own), '        404 404 404 404 ok  404', '404 404 404'],
    hilltop: [one(passkeyIds.hilltop), '404 404 404 404 404 ok ', '404 404 404'],
    absent: [one(ABSENT), '             404 404 404 404 404 404', '404 404 404'],
  },
  ask: { own: [{}, everybody] },
  signIn: { own: [assertion, ...refused] },
  prove: { own: [assertion, ...refused] },
}
