import type { Client } from '@markbook/shared/contract/client'
import type { contract } from '@markbook/shared/contract/contract'
import { naturalId } from '@markbook/shared/ids'
import { cookieName, sessionCookies } from '../http/cookies.ts'
import { startSession } from '../http/sessions.ts'
import { asSystem } from '../store/tx.ts'
import type { School } from './school.ts'

/** A signed-in person without a school. */
export type Newcomer = { id: string; email: string; as: Client<typeof contract> }

/** `count` new people, `<name>1@mail.example` and on, each with a session. */
export function newcomers(st: School, count: number, name = 'newcomer'): Promise<Newcomer[]> {
  const { store, keys, config } = st.services
  const settings = { name: cookieName(config.cookiePrefix, config.projectRef), secure: false }
  return store.write(asSystem(), async (tx) => {
    const people: Newcomer[] = []
    for (let number = 1; number <= count; number += 1) {
      const email = `${name}${number}@mail.example`
      const id = naturalId('user', email)
      await tx.insert('user_profile', [{ id, email, first_name: name, last_name: String(number), school_id: null }])
      const cookies = sessionCookies(await startSession(tx, id, keys), settings, 60, undefined).map((cookie) => cookie.split(';')[0])
      people.push({ id, email, as: st.clientWith(cookies.join('; ')) })
    }
    return people
  })
}

/** One new person, `<name>1@mail.example`. */
export async function newcomer(st: School, name: string): Promise<Newcomer> {
  const [person] = await newcomers(st, 1, name)
  if (!person) throw new Error('nobody came')
  return person
}
