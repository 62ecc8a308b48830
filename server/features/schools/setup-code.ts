import { createHash, createHmac } from 'node:crypto'
import { schoolFailures } from '@markbook/shared/contract/schools'
import { printedLetters } from '@markbook/shared/domain/printed-code'
import type { Config } from '../../config.ts'
import type { Keys } from '../../http/tokens.ts'
import { grouped, isSameSecret, toBase32 } from '../../store/encryption.ts'
import { lockedNode } from '../../store/node.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx, type WriteTx } from '../../store/tx.ts'
import { isFoundingOver } from './schools.policy.ts'

type Founding = { store: Pick<Store, 'nodeId' | 'read'>; config: Pick<Config, 'dedicated' | 'setupCode' | 'openFounding'>; keys: Keys }

/**
 * The code with which the next school is founded on this node (decisions §8): the operator's own, or one computed from the server's
 * secret, the node and the number of schools. So every instance of a central node and the command line have the same one without storing
 * it, and it ends when a school is founded with it.
 */
async function presentCode(tx: ReadTx, { store, config, keys }: Founding): Promise<string> {
  if (config.setupCode !== null) return config.setupCode
  const schools = await tx.db.$count(tx.t.school)
  return grouped(toBase32(createHmac('sha256', keys.setup).update(`${store.nodeId}\n${schools}`).digest()).slice(0, 16))
}

/** People type it in small letters, with spaces, without hyphens, or with a 0 for an O. */
const digestOf = (code: string) => createHash('sha256').update(printedLetters(code)).digest()

/** Throws 403 unless `typed` is the code of this node. The node's row is locked, so that concurrent requests cannot both use one. */
export async function demandSetupCode(tx: WriteTx, founding: Founding, typed: string | undefined): Promise<void> {
  if (founding.config.openFounding) return
  await lockedNode(tx, {})
  if (typed === undefined || !isSameSecret(digestOf(typed), digestOf(await presentCode(tx, founding)))) throw schoolFailures.setupCode()
}

/**
 * The setup code to show at this server. Null where it has no use: founding is open to everybody, the one school of a dedicated node
 * exists, or this is a person's laptop, which belongs to its school.
 */
export const setupCodeHere = (founding: Founding): Promise<{ code: string; isFirst: boolean } | null> =>
  founding.store.read(asSystem(), async (tx) => {
    if (founding.config.openFounding || (await isFoundingOver(tx, founding.config))) return null
    return { code: await presentCode(tx, founding), isFirst: (await tx.db.$count(tx.t.school)) === 0 }
  })

/** The URL of the page that founds a school, with the code filled in. */
export const setupLink = (url: string, code: string): string => `${url}/welcome?way=create#setup=${encodeURIComponent(code)}`
