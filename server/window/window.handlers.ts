import { windowContract, windowFailures } from '@markbook/shared/contract/window'
import { naturalId } from '@markbook/shared/ids'
import { normalEmail } from '../features/auth/emails.ts'
import { type Exchange, type Handlers, onOpen } from '../http/handler.ts'
import { endSession, startSession } from '../http/sessions.ts'
import { joinByHand } from '../peers/join-by-hand.ts'
import { asSystem } from '../store/tx.ts'
import { canJoin, lookHere, ownerOf } from './whose.ts'

const looked = ({ services: { store } }: Pick<Exchange, 'services'>) => store.read(asSystem(), lookHere)

/** Signs in whose computer this is; false where nobody knows. */
export async function enter({ services: { store, keys }, caller, setSession }: Exchange): Promise<boolean> {
  const session = await store.write(asSystem(), async (tx) => {
    const owner = await ownerOf(tx)
    if (!owner) return null
    if (caller) await endSession(tx, caller.session_id)
    return startSession(tx, owner.id, keys)
  })
  if (session) setSession(session)
  return session !== null
}

export const windowHandlers: Handlers<typeof windowContract> = {
  here: onOpen(windowContract.here, looked),

  join: onOpen(windowContract.join, async (exchange, { body }) => {
    const { services } = exchange
    if (!(await services.store.read(asSystem(), canJoin))) throw windowFailures.cannotJoin()
    await joinByHand(services, body, 'laptop')
    return looked(exchange)
  }),

  alone: onOpen(windowContract.alone, async (exchange, { body }) => {
    const { services, setSession } = exchange
    const email = normalEmail(body.email)
    const session = await services.store.write(asSystem(), async (tx) => {
      if (!(await canJoin(tx)) || (await ownerOf(tx))) throw windowFailures.notEmpty()
      const id = naturalId('user', email)
      await tx.insert('user_profile', [{ id, email, first_name: null, last_name: null, school_id: null }])
      return startSession(tx, id, services.keys)
    })
    setSession(session)
    return looked(exchange)
  }),

  enter: onOpen(windowContract.enter, async (exchange) => {
    if (!(await enter(exchange))) throw windowFailures.nobody()
    return { message: 'You are signed in.' }
  }),
}
