import { createHash, timingSafeEqual } from 'node:crypto'
import { naturalId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import type { Keys } from '../../http/tokens.ts'
import type { WriteTx } from '../../store/tx.ts'
import { newCode, type Way } from '../auth/codes.ts'
import { opening } from './belonging.ts'
import { recoveryCodesOf, recoveryCodesToReplace } from './outage.queries.ts'
import { seal, unseal } from './seal.ts'

type Code = Row<'recovery_code'>

const hashOf = (userId: string, code: string) => createHash('sha256').update(`${userId}\n${code}`).digest()

/** A code that has not been used; one of a set before says nothing of this set. */
export const isUnused = ({ set_id, used_set_id }: Code): boolean => used_set_id !== set_id

export const recoveryCode: Way = async (tx, { token, userId }, { seal: key }) => {
  if (userId === null) return 'wrong'
  const hash = hashOf(userId, token)
  const isIt = ({ sealed_hash }: Code) => {
    const kept = unseal(sealed_hash, key, userId)
    return kept !== null && kept.length === hash.length && timingSafeEqual(kept, hash)
  }
  const [found] = (await opening(tx, 'recovery_code', userId, await recoveryCodesOf(tx, { user: userId }))).filter(isIt)
  const row = found && (await tx.find('recovery_code', '', found.id))
  if (!row || row.set_id !== found.set_id || !isUnused(row)) return 'wrong'
  await tx.update('recovery_code', [{ before: row, patch: { used_set_id: row.set_id, used_at: tx.now } }])
  return 'right'
}

/** Writes ten new codes over those of a person, whose own row the caller has locked. They are told once, here. */
export async function replaceRecoveryCodes(tx: WriteTx, userId: string, { seal: key }: Pick<Keys, 'seal'>): Promise<string[]> {
  const codes = new Set<string>()
  while (codes.size < limits.recoveryCodes) codes.add(newCode())
  const kept = new Map((await recoveryCodesToReplace(tx, { user: userId })).map((row) => [row.slot, row]))
  const set_id = tx.newId()
  const slots = [...codes].map((code, slot) => ({ slot, before: kept.get(slot), sealed_hash: seal(hashOf(userId, code), key, userId) }))
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
  return [...codes]
}
