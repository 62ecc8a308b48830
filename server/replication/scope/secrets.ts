import { descriptions } from '@markbook/shared/tables/tables'
import type { Carried } from '@markbook/sync/protocol/page'
import { decrypt, encrypt } from '../../store/encryption.ts'

/**
 * Opens sealed columns with the key `from` and seals them with `to`: one is this node's own key, the other is shared with the peer. A
 * secret that cannot be opened travels as it is and is of no use: its owner enrols again.
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
