import { randomBytes } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { eq } from 'drizzle-orm'
import { statement } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type ReadTx, type WriteTx } from '../store/tx.ts'
import { type Caller, callerOfSession } from './caller.ts'
import type { CookieSession } from './cookies.ts'
import { type AccessClaims, accessToken, hashOf, type Keys, readAccessToken, successorOf } from './tokens.ts'

/** A session after a request: who it is of, and the new tokens where they were rotated. */
export type Authenticated = { caller: Caller; session: CookieSession; rotated: boolean }

const { access, refreshGrace, absolute, idle } = limits.session
const SECOND = 1_000

const tokensOf = (session: Pick<Row<'session'>, 'id' | 'user_id'>, refreshToken: string, issuedMs: number, keys: Keys): CookieSession => {
  const iat = Math.floor(issuedMs / SECOND)
  const exp = iat + access / SECOND
  const token = accessToken({ sub: session.user_id, sid: session.id, iat, exp }, keys.access)
  return { access_token: token, refresh_token: refreshToken, expires_in: access / SECOND, expires_at: exp, token_type: 'bearer' }
}

/** Starts a session, with 256 random bits as its first refresh token. */
export async function startSession(tx: WriteTx, userId: string, keys: Keys): Promise<CookieSession> {
  const refreshToken = randomBytes(32).toString('base64url')
  const row: Row<'session'> = {
    id: tx.newId(),
    user_id: userId,
    refresh_hash: hashOf(refreshToken),
    previous_hash: null,
    rotated_at: null,
    generation: 0,
    created_at: tx.now,
    last_used_at: tx.now,
    expires_at: toInstant(tx.nowMs + absolute),
    revoked_at: null,
  }
  await tx.local.insert(tx.t.session).values(row)
  return tokensOf(row, refreshToken, tx.nowMs, keys)
}

export const endSession = (tx: WriteTx, sessionId: string) =>
  tx.local.update(tx.t.session).set({ revoked_at: tx.now }).where(eq(tx.t.session.id, sessionId))

const live = (tx: ReadTx, claims: AccessClaims) => callerOfSession(tx, claims.sid, toInstant(tx.nowMs - idle))

/**
 * Checks the tokens of a request, and renews them where the access token has expired (decisions §3). Null: not signed in.
 * `tx` work is one read while the access token lives.
 */
export async function authenticate(store: Store, tokens: CookieSession | null, nowMs: number, keys: Keys): Promise<Authenticated | null> {
  const claims = tokens && readAccessToken(tokens.access_token, keys.access)
  if (!tokens || !claims || !isId(claims.sid)) return null
  if (claims.exp * SECOND <= nowMs) return rotate(store, tokens.refresh_token, claims, keys)
  const caller = await store.read(asSystem(), (tx) => live(tx, claims))
  return caller ? { caller, session: tokens, rotated: false } : null
}

const sessionById = statement<{ id: string }>({ lock: 'session' })(({ db, t, p }) =>
  db.select().from(t.session).where(eq(t.session.id, p.id)),
)

const rotate = (store: Store, token: string, claims: AccessClaims, keys: Keys): Promise<Authenticated | null> =>
  store.write(asSystem(), async (tx) => {
    const [row] = await sessionById(tx, { id: claims.sid })
    const caller = row && (await live(tx, claims))
    if (!row || !caller) return null
    const hash = hashOf(token)
    const successor = successorOf(token, keys.refresh)
    if (hash === row.refresh_hash) {
      const turned = {
        refresh_hash: hashOf(successor),
        previous_hash: hash,
        rotated_at: tx.now,
        last_used_at: tx.now,
        generation: row.generation + 1,
      }
      await tx.local.update(tx.t.session).set(turned).where(eq(tx.t.session.id, row.id))
      return { caller, session: tokensOf(row, successor, tx.nowMs, keys), rotated: true }
    }
    const rotatedMs = Date.parse(row.rotated_at ?? '') || 0
    if (hash === row.previous_hash && tx.nowMs - rotatedMs <= refreshGrace) {
      return { caller, session: tokensOf(row, successor, rotatedMs, keys), rotated: true }
    }
    if (isAncestor(token, row, keys)) await endSession(tx, row.id)
    return null
  })

/** True for a token that this family has used up: whoever holds it copied it, so the whole family ends. */
function isAncestor(token: string, { refresh_hash, generation }: Row<'session'>, keys: Keys): boolean {
  let current = token
  for (let step = 0; step < generation; step += 1) {
    current = successorOf(current, keys.refresh)
    if (hashOf(current) === refresh_hash) return true
  }
  return false
}
