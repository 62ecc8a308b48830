import { common } from '@markbook/shared/failures'
import { COMMONS, naturalId } from '@markbook/shared/ids'
import type { Keys } from '../../http/tokens.ts'
import { laptopOwner } from '../../store/laptop.ts'
import type { Store } from '../../store/store.ts'
import { asSystem } from '../../store/tx.ts'
import { userByEmail } from '../auth/auth.queries.ts'
import { keepCode, newCode } from '../auth/codes.ts'
import { demandSameSecret } from './secret-mark.ts'

/** A code from the console; `isNew` where nobody has signed in with the address yet. */
export type ConsoleCode = { code: string; isNew: boolean }

/** Makes the one live console code of an address (decisions §3); that it was made stands in the history of the commons. */
export const issueConsoleCode = (store: Store, email: string, keys: Keys): Promise<ConsoleCode> => {
  const code = newCode()
  return store.write(asSystem(), async (tx) => {
    await demandSameSecret(tx, keys)
    const [user] = await userByEmail(tx, { email })
    const id = user?.id ?? naturalId('user', email)
    const owner = await laptopOwner(tx)
    if (owner !== null && owner !== id) throw common.othersLaptop()
    const expires_at = await keepCode(tx, { email, kind: 'console' }, code, keys.otp)
    tx.note({ schoolId: COMMONS, entity: 'console_code', id, action: 'create', changes: { email, expires_at } })
    return { code, isNew: user === undefined }
  })
}
