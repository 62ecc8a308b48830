import { windowContract, windowFailures } from '@markbook/shared/contract/window'
import { naturalId } from '@markbook/shared/ids'
import { normalEmail } from '../features/auth/emails.ts'
import { type Exchange, type Handlers, onOpen } from '../http/handler.ts'
import { endSession, startSession } from '../http/sessions.ts'
import { joinParent } from '../peers/join.ts'
import { overNetwork } from '../peers/network.ts'
import { LineFailure } from '../peers/parent-line.ts'
import { authorityAt, isUnknown, trustAuthority, trustedAuthority } from '../peers/trust.ts'
import { asSystem } from '../store/tx.ts'
import { canJoin, lookHere, ownerOf } from './whose.ts'

const looked = ({ services: { store } }: Pick<Exchange, 'services'>) => store.read(asSystem(), lookHere)

function addressOf(typed: string): URL {
  const text = typed.trim()
  const full = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`
  const url = URL.canParse(full) ? new URL(full) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw windowFailures.badAddress()
  return url
}

/** The school's own authority is trusted once its fingerprint was sent back, which a person compared (decision 312). */
async function demandTrust({ config }: Exchange['services'], address: URL, fingerprint: string | undefined): Promise<void> {
  if (!(await isUnknown(address, trustedAuthority(config.dataDir)))) return
  const authority = await authorityAt(address)
  if (!authority) throw windowFailures.noAnswer()
  if (authority.fingerprint !== fingerprint)
    throw windowFailures.notTrusted({ issues: [{ path: 'fingerprint', message: authority.fingerprint }] })
  trustAuthority(config.dataDir, authority)
}

async function join(exchange: Exchange, address: URL, code: string): Promise<void> {
  const { services } = exchange
  const carry = overNetwork(new AbortController().signal, () => trustedAuthority(services.config.dataDir))
  try {
    await joinParent(services, { url: address.origin, code, kind: 'laptop' }, carry)
  } catch (error) {
    if (!(error instanceof LineFailure)) throw error
    // The school's own words, where it had any.
    if (error.code !== 'line') throw windowFailures.cannotJoin({ message: error.message })
    services.log.warn({ address: address.origin, reason: error.message }, 'no answer to join')
    throw windowFailures.noAnswer()
  }
  await services.replication?.refresh()
}

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
    const address = addressOf(body.address)
    await demandTrust(services, address, body.fingerprint)
    await join(exchange, address, body.code)
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
