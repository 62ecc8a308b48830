import { descriptions } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { decrypt, encrypt } from '../../store/encryption.ts'

/**
 * Sealed columns on their way: opened with one key and sealed with another, of which one is this node's own and the other the one that it
 * shares with the peer. A secret that cannot be opened travels as it is and is nobody's: its owner enrols again.
 */
export function resealed(rows: readonly Carried[], from: Buffer, to: Buffer): Carried[] {
  return rows.map((row) => {
    const sealed = descriptions[row.table].sealed
    if (!sealed) return row
    const owner = row.state.values['user_id'] as string
    const values = Object.fromEntries(
      sealed.map((column) => {
        const text = row.state.values[column]
        const secret = typeof text === 'string' ? decrypt(text, from, owner) : null
        return [column, secret ? encrypt(secret, to, owner) : text]
      }),
    )
    return { ...row, state: { ...row.state, values: { ...row.state.values, ...values } } }
  })
}
