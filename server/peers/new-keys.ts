import type { Welcome } from '@markbook/sync/protocol/messages'
import { incarnations } from '../store/node.ts'
import type { ReadTx } from '../store/tx.ts'
import { isKey, isSignedBy, nodeKeys, signatureOf } from './keys.ts'

/**
 * A parent that begins anew has other keys, and a child that seals secrets for the old ones seals them for nobody. The
 * new ones are vouched for by the number before, whose keys the parent can make and the child knows: who sits on the line cannot.
 */
type Keys = NonNullable<Welcome['keys']>
type Spoken = Pick<Keys, 'public_key' | 'box_key'>

const signedOf = ({ public_key, box_key }: Spoken) => ({
  method: 'KEYS',
  path: `${public_key} ${box_key}`,
  body: new Uint8Array(),
  nonce: '',
  number: 0,
})

/** What a parent says of its keys to a child that `knows` another; nothing where it knows the present one, or one of no number of this database. */
export async function vouchedKeys(
  tx: ReadTx,
  { secret, node, knows }: { secret: string; node: string; knows: string | undefined },
): Promise<{ keys?: Keys }> {
  const { publicKey, boxKey } = nodeKeys(secret, node)
  if (knows === undefined || knows === publicKey) return {}
  const former = (await incarnations(tx)).map((each) => nodeKeys(secret, each)).find((each) => each.publicKey === knows)
  if (!former) return {}
  const spoken = { public_key: publicKey, box_key: boxKey }
  return { keys: { ...spoken, signature: signatureOf(signedOf(spoken), former) } }
}

/** The keys to know a parent by from now on: those that it says, where the one that is known vouches for them. */
export function heardKeys(known: Pick<Spoken, 'public_key'>, keys: Keys | undefined): Partial<Spoken> {
  if (!keys || !isKey(keys.public_key, 'ed25519') || !isKey(keys.box_key, 'x25519')) return {}
  const { public_key, box_key, signature } = keys
  return isSignedBy(signedOf(keys), signature, known.public_key) ? { public_key, box_key } : {}
}
