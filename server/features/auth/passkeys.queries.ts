import { rowsBy } from '../../store/statement.ts'

/** The passkeys of a person, oldest first. */
export const passkeysOf = rowsBy('passkey', { user: 'user_id' }, { orderBy: ['created_at', 'id'] })

export const passkeyByCredential = rowsBy('passkey', { credential: 'credential_id' })
/** The same, locked to be used. */
export const passkeyToUse = rowsBy('passkey', { credential: 'credential_id' }, { lock: true })
