import { rowsBy } from '../../store/statement.ts'
import type { ReadTx } from '../../store/tx.ts'

const avatarAt = rowsBy('user_profile', { owner: 'id', path: 'avatar_path' }, { columns: ['avatar_sha256'] })
const crestAt = rowsBy('school', { owner: 'id', path: 'crest_path' }, { columns: ['crest_sha256'] })

/** The picture at a path: the content that its row names. `owner` is the id that the path ends with. */
export async function pictureAt(tx: ReadTx, at: { owner: string; path: string }): Promise<{ sha256: string | null } | null> {
  const [avatar] = await avatarAt(tx, at)
  if (avatar) return { sha256: avatar.avatar_sha256 }
  const [crest] = await crestAt(tx, at)
  return crest ? { sha256: crest.crest_sha256 } : null
}
