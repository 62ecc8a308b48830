import { rowsBy } from '../../store/statement.ts'

/** The passkeys of a person, oldest first. */
export const passkeysOf = rowsBy('passkey', { user: 'user_id' }, { orderBy: ['created_at', 'id'] })

export const passkeyByCredential = rowsBy('passkey', { credential: 'credential_id' })
/** A passkey by its credential id, locked. */
export const passkeyToUse = rowsBy('passkey', { credential: 'credential_id' }, { lock: true })
