import { randomBytes } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import type { Device } from '@markbook/shared/domain/device'
import { common, Failure } from '@markbook/shared/failures'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { rowsBy } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import { asSystem, type ReadTx, type WriteTx } from '../store/tx.ts'
import { type Caller, callerOfSession, type LiveSession } from './caller.ts'
import type { CookieSession } from './cookies.ts'
import { type AccessClaims, accessToken, hashOf, type Keys, readAccessToken, successorOf } from './tokens.ts'

/** The caller and tokens of a session after a request. `rotated`: the tokens are new, and the reply has to set them. */
export type Authenticated = { caller: Caller; session: CookieSession; rotated: boolean }

/** The device of a session (shared/domain/device.ts), and its network address. */
export type SessionClient = Device & { address: string | null }
const UNKNOWN: SessionClient = { program: null, system: null, address: null }

const { accessMs, refreshGraceMs, absoluteMs, idleMs, lastUseEveryMs: noteUseEvery } = limits.session
const SECOND = 1_000

const tokensOf = (session: Pick<Row<'session'>, 'id' | 'user_id'>, refreshToken: string, issuedMs: number, keys: Keys): CookieSession => {
  const iat = Math.floor(issuedMs / SECOND)
  const exp = iat + accessMs / SECOND
  const token = accessToken({ sub: session.user_id, sid: session.id, iat, exp }, keys.access)
  return { access_token: token, refresh_token: refreshToken, expires_in: accessMs / SECOND, expires_at: exp, token_type: 'bearer' }
}

/** Starts a session, with 256 random bits as its first refresh token. */
export async function startSession(tx: WriteTx, userId: string, keys: Keys, client: SessionClient = UNKNOWN): Promise<CookieSession> {
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
    expires_at: toInstant(tx.nowMs + absoluteMs),
    revoked_at: null,
    ...client,
    proved_at: tx.now,
  }
  await tx.local.insert(tx.t.session).values(row)
  return tokensOf(row, refreshToken, tx.nowMs, keys)
}

/** The session id of tokens that this server signed. */
export const sessionIdOf = ({ access_token }: Pick<CookieSession, 'access_token'>, { access }: Keys): string =>
  readAccessToken(access_token, access)?.sid ?? ''

export const endSession = (tx: WriteTx, sessionId: string) =>
  tx.local.update(tx.t.session).set({ revoked_at: tx.now }).where(eq(tx.t.session.id, sessionId))

/** Records that the person of a session has proved who they are. Returns until when the proof is fresh. */
export async function noteProof(tx: WriteTx, sessionId: string): Promise<string> {
  await tx.local.update(tx.t.session).set({ proved_at: tx.now }).where(eq(tx.t.session.id, sessionId))
  return toInstant(tx.nowMs + limits.proof.validMs)
}

const live = (tx: ReadTx, sessionId: string) => callerOfSession(tx, sessionId, toInstant(tx.nowMs - idleMs))

/** Reads the caller again after this transaction changed them. Throws 401 where the session has ended meanwhile. */
export async function callerAgain(tx: ReadTx, { session_id }: Pick<Caller, 'session_id'>): Promise<Caller> {
  const known = await live(tx, session_id)
  if (!known) throw common.unauthenticated()
  return known.caller
}

/**
 * Checks the tokens of a request, and renews them where the access token has expired (decisions §3). Null: not signed in. While the access
 * token is valid this is one read, and one small write at the first use of renewed tokens and every ten minutes of use.
 */
export async function authenticate(
  store: Store,
  tokens: CookieSession | null,
  nowMs: number,
  keys: Keys,
  client: () => SessionClient,
): Promise<Authenticated | null> {
  const claims = tokens && readAccessToken(tokens.access_token, keys.access)
  if (!tokens || !claims || !isId(claims.sid)) return null
  if (claims.exp * SECOND <= nowMs)
    return renew(store, tokens.refresh_token, claims.sid, keys, client).catch(
      onFullDisk(() => unrenewed(store, tokens, claims, nowMs, keys)),
    )
  const known = await store.readOnce((tx) => live(tx, claims.sid))
  if (!known) return null
  if (known.isFirstUse || Date.parse(known.lastUse) + noteUseEvery <= nowMs) await noteUse(store, claims.sid, known, nowMs, client)
  return { caller: known.caller, session: sessionOf(tokens, claims, nowMs), rotated: false }
}

/** Only the tokens of a cookie are trusted; the times come from the claims. */
const sessionOf = ({ access_token, refresh_token }: CookieSession, { exp }: AccessClaims, nowMs: number): CookieSession => ({
  access_token,
  refresh_token,
  expires_in: exp - Math.floor(nowMs / SECOND),
  expires_at: exp,
  token_type: 'bearer',
})

/** On a full disk the session stays valid with its old tokens, so that reading goes on. */
const onFullDisk =
  <T>(otherwise: () => Promise<T>) =>
  (error: unknown): Promise<T> => {
    if (error instanceof Failure && error.code === common.storageFull().code) return otherwise()
    throw error
  }

const unrenewed = (store: Store, tokens: CookieSession, claims: AccessClaims, nowMs: number, keys: Keys): Promise<Authenticated | null> =>
  store.read(asSystem(), async (tx) => {
    const known = await live(tx, claims.sid)
    if (!known || !(await isRefreshable(tx, claims.sid, tokens, keys))) return null
    return { caller: known.caller, session: sessionOf(tokens, claims, nowMs), rotated: false }
  })

/** Keeps the device of the sign-in; sessions of older programs have none. */
const used = ({ now, t: { session } }: WriteTx, { program, system, address }: SessionClient) => ({
  last_used_at: now,
  address,
  program: sql`coalesce(${session.program}, ${program})`,
  system: sql`coalesce(${session.system}, ${system})`,
})

/** When the use of a session was last recorded, ms: concurrent requests have all read the earlier value. */
const notedAt = new WeakMap<Store, LRUCache<string, number>>()
const NOTED_MAX = 5_000

/**
 * Records the use of a session. Once renewed tokens are used, the token before counts as used, since its owner has received the successor.
 * A failure to record is ignored, because it is no reason to refuse the request.
 */
async function noteUse(
  store: Store,
  sessionId: string,
  { isFirstUse }: LiveSession,
  nowMs: number,
  client: () => SessionClient,
): Promise<void> {
  const noted = notedAt.get(store) ?? new LRUCache<string, number>({ max: NOTED_MAX })
  if (!isFirstUse && nowMs < (noted.get(sessionId) ?? 0) + noteUseEvery) return
  notedAt.set(store, noted.set(sessionId, nowMs))
  const note = (tx: WriteTx) =>
    tx.local
      .update(tx.t.session)
      .set({ ...(isFirstUse && { previous_hash: null }), ...used(tx, client()) })
      .where(eq(tx.t.session.id, sessionId))
  await store.write(asSystem(), note).catch((error: unknown) => {
    noted.delete(sessionId)
    if (!(error instanceof Failure)) throw error
  })
}

const sessionById = rowsBy('session', { id: 'id' }, { lock: true })

/**
 * Exchanges a refresh token for its successor. For 10 s, and after that until the successor is used, the previous token gets the same
 * successor again, so that parallel requests agree and a lost reply can be repeated. Any other used token of the session was copied, so
 * the session ends.
 */
const renew = (store: Store, token: string, sessionId: string, keys: Keys, client: () => SessionClient): Promise<Authenticated | null> =>
  store.write(asSystem(), async (tx) => {
    const [row] = await sessionById(tx, { id: sessionId })
    const known = row && (await live(tx, row.id))
    if (!row || !known) return null
    const hash = hashOf(token)
    const successor = successorOf(token, keys.refresh)
    const renewed = { caller: known.caller, session: tokensOf(row, successor, tx.nowMs, keys), rotated: true }
    if (hash === row.refresh_hash) {
      const rotated = {
        refresh_hash: hashOf(successor),
        previous_hash: hash,
        rotated_at: tx.now,
        generation: row.generation + 1,
        ...used(tx, client()),
      }
      await tx.local.update(tx.t.session).set(rotated).where(eq(tx.t.session.id, row.id))
      return renewed
    }
    const isRecent = row.rotated_at !== null && tx.nowMs - Date.parse(row.rotated_at) <= refreshGraceMs
    if (hashOf(successor) === row.refresh_hash && (isRecent || row.previous_hash !== null)) return renewed
    if (isAncestor(token, row, keys)) await endSession(tx, row.id)
    return null
  })

/** Whether this session has used the token before. */
function isAncestor(token: string, { refresh_hash, generation }: Row<'session'>, keys: Keys): boolean {
  let current = token
  for (let step = 0; step < generation; step += 1) {
    current = successorOf(current, keys.refresh)
    if (hashOf(current) === refresh_hash) return true
  }
  return false
}

/** Whether a live session could be renewed: its refresh token is the current one, or another request has just rotated it. */
export async function isRefreshable(tx: ReadTx, sessionId: string, { refresh_token }: CookieSession, keys: Keys): Promise<boolean> {
  const [row] = await sessionById(tx, { id: sessionId })
  return row !== undefined && [refresh_token, successorOf(refresh_token, keys.refresh)].some((token) => hashOf(token) === row.refresh_hash)
}
