import { randomInt } from 'node:crypto'
import { toInstant } from '@markbook/shared/clock'
import type { Failure, FailureFactory } from '@markbook/shared/failures'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Keys } from '../../http/tokens.ts'
import { matches } from '../../store/conditions.ts'
import { codeHash, isSameSecret } from '../../store/encryption.ts'
import { rowsBy } from '../../store/statement.ts'
import type { WriteTx } from '../../store/tx.ts'

const { length, lifetimeMs } = limits.otp

/**
 * An attempt to sign in with a code: the mail address, and the client's network address as in `networkOf`. `userId` is null where nobody
 * has that mail address yet.
 */
export type SignInAttempt = { email: string; token: string; userId: string | null; address: string }
/** Checks the second factor of a person who needs one: null where it is right, else why the mailed code is not enough. */
export type SecondCheck = (tx: WriteTx) => Promise<Failure | null>
/** The id whose secrets are searched; for an address without an account an id that nobody has, so that both cases take the same time. */
export const ownerOf = ({ email, userId }: SignInAttempt): string => userId ?? naturalId('user', email)
/** Whether `token` is a valid code of one sign-in method. A valid code is used up at once. */
export type CodeVerifier = (tx: WriteTx, attempt: SignInAttempt, keys: Keys) => Promise<boolean>

/** A refusal with the time after which to try again. */
export const waiting = (failure: FailureFactory, ms: number, message?: string): Failure =>
  failure({ ...(message !== undefined && { message }), headers: { 'retry-after': String(Math.ceil(ms / 1_000)) } })

type CodeRecipient = { email: string; kind: Row<'otp_code'>['kind'] }

/** Eight uniformly random digits. */
export const newCode = (): string => String(randomInt(10 ** length)).padStart(length, '0')

export const isCodeOf = (live: Pick<Row<'otp_code'>, 'code_hash'>, { email, token }: SignInAttempt, key: Buffer): boolean =>
  isSameSecret(Buffer.from(codeHash(email, token, key)), Buffer.from(live.code_hash))

const codeRow = rowsBy('otp_code', { email: 'email', kind: 'kind' }, { lock: true })

/** The valid code of an address; locked, so that concurrent requests try it one after the other. */
export async function liveCode(tx: WriteTx, place: CodeRecipient): Promise<Row<'otp_code'> | undefined> {
  const [row] = await codeRow(tx, place)
  return row && row.expires_at > tx.now ? row : undefined
}

/** Stores `code` as the valid one of its kind, replacing any earlier. Returns when it expires. */
export async function keepCode(tx: WriteTx, { email, kind }: CodeRecipient, code: string, key: Buffer): Promise<string> {
  const expires_at = toInstant(tx.nowMs + lifetimeMs)
  const live = { code_hash: codeHash(email, code, key), sent_at: tx.now, expires_at, wrong_tries: 0 }
  const { otp_code } = tx.t
  await tx.local
    .insert(otp_code)
    .values({ email, kind, ...live })
    .onConflictDoUpdate({ target: [otp_code.email, otp_code.kind], set: live })
  return expires_at
}

const isAt = ({ otp_code }: WriteTx['t'], { email, kind }: CodeRecipient) => matches(otp_code, { email, kind })

export const endCode = (tx: WriteTx, place: CodeRecipient) => tx.local.delete(tx.t.otp_code).where(isAt(tx.t, place))

export const noteWrongTry = (tx: WriteTx, place: CodeRecipient, wrongTries: number) =>
  tx.local.update(tx.t.otp_code).set({ wrong_tries: wrongTries }).where(isAt(tx.t, place))
