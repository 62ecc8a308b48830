import { createHash } from 'node:crypto'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Keys } from '../../http/tokens.ts'
import { decrypt, encrypt, grouped, isSameSecret, newPrintedCode } from '../../store/encryption.ts'
import type { WriteTx } from '../../store/tx.ts'
import { acceptedSecrets } from './accepted-secrets.ts'
import { type CodeVerifier, ownerOf } from './codes.ts'
import { recoveryCodesOf, recoveryCodesToReplace } from './sign-in-methods.queries.ts'

type Code = Row<'recovery_code'>

/** Sets printed by older programs have eight digits, and stay valid until they are replaced. */
export const isPrintedCode = (token: string): boolean => token.length > limits.otp.length

const hashOf = (userId: string, code: string) => createHash('sha256').update(`${userId}\n${code}`).digest()

/** Use is recorded by set: a code used in an earlier set is unused in this one. */
export const isUnused = ({ set_id, used_set_id }: Code): boolean => used_set_id !== set_id

export const verifyRecoveryCode: CodeVerifier = async (tx, attempt, { seal: key }) => {
  const { token } = attempt
  const userId = ownerOf(attempt)
  const hash = hashOf(userId, token)
  const isIt = ({ sealed_hash }: Code) => {
    const kept = decrypt(sealed_hash, key, userId)
    return kept !== null && isSameSecret(hash, kept)
  }
  const [found] = (await acceptedSecrets(tx, 'recovery_code', userId, await recoveryCodesOf(tx, { user: userId }))).filter(isIt)
  const row = found && (await tx.find('recovery_code', '', found.id))
  if (!row || row.set_id !== found.set_id || !isUnused(row)) return false
  await tx.update('recovery_code', row, { used_set_id: row.set_id, used_at: tx.now })
  return true
}

/** Replaces the codes of a person, whose row the caller has locked, by ten new ones. Only this reply shows them. */
export async function replaceRecoveryCodes(tx: WriteTx, userId: string, { seal: key }: Pick<Keys, 'seal'>): Promise<string[]> {
  const codes = new Set<string>()
  while (codes.size < limits.recoveryCodesPerSet) codes.add(newPrintedCode())
  const kept = new Map((await recoveryCodesToReplace(tx, { user: userId })).map((row) => [row.slot, row]))
  const set_id = tx.newId()
  const slots = [...codes].map((code, slot) => ({ slot, before: kept.get(slot), sealed_hash: encrypt(hashOf(userId, code), key, userId) }))
  await tx.update(
    'recovery_code',
    slots.flatMap(({ before, sealed_hash }) => (before ? [{ before, patch: { set_id, sealed_hash } }] : [])),
  )
  await tx.insert(
    'recovery_code',
    slots
      .filter(({ before }) => !before)
      .map(({ slot, sealed_hash }) => {
        const id = naturalId('recovery_code', userId, String(slot))
        return { id, user_id: userId, slot, set_id, sealed_hash, used_set_id: null, used_at: null }
      }),
  )
  return [...codes].map(grouped)
}
