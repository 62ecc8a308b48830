import { avatarAddress, imageObject, ownerOf, personAtAddress } from '../../files/image-address.ts'
import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

const avatarAt = rowsBy('user_profile', { owner: 'id', path: 'avatar_path' }, { columns: ['avatar_sha256'] })
const crestAt = rowsBy('school', { owner: 'id', path: 'crest_path' }, { columns: ['crest_sha256'] })

/** The picture at a path: the content that its row names. `owner`: the id at the end of the path. */
export async function pictureAt(tx: ReadTx, at: { owner: string; path: string }): Promise<{ sha256: string | null } | null> {
  const [avatar] = await avatarAt(tx, at)
  if (avatar) return { sha256: avatar.avatar_sha256 }
  const [crest] = await crestAt(tx, at)
  return crest ? { sha256: crest.crest_sha256 } : null
}

/** The public object at an address: a person's picture, or the crest of a school; null where there is none. */
export async function publicObjectAt(tx: ReadTx, address: string, key: Buffer): Promise<{ path: string; isOfPerson: boolean } | null> {
  const person = personAtAddress(address, key)
  if (person !== null) {
    const user = await tx.find('user_profile', '', person)
    const path = user?.avatar_path ?? null
    if (!user || path === null || ownerOf(path) !== person || avatarAddress({ ...user, avatar_path: path }, key) !== address) return null
    return { path: imageObject(path, user.avatar_sha256), isOfPerson: true }
  }
  const owner = ownerOf(address)
  const [crest] = owner === null ? [] : await crestAt(tx, { owner, path: address })
  return crest ? { path: imageObject(address, crest.crest_sha256), isOfPerson: false } : null
}
