import type { avatars } from '@markbook/shared/contract/avatars'
import { people } from '@markbook/shared/story/people'
import { sha256Of } from '../../files/digest.ts'
import { imageObject, incomingObject } from '../../files/image-address.ts'
import { asSystem } from '../../store/tx.ts'
import { png } from '../../testing/pictures.ts'
import type { School } from '../../testing/school.ts'
import { everybody, type Rows } from './row.ts'

const picture = png()
const path = `avatars/${people.okafor.id}.png`
const none = '400:avatars.none'
const notHers = '404:avatars.not_uploaded'

const sha256 = sha256Of(picture)
const contentType = 'image/png'

export async function uploadPictures({ services: { files } }: Pick<School, 'services'>): Promise<void> {
  await files.put('images', imageObject(path, sha256), picture, { contentType })
  await files.put('images', incomingObject(path), picture, { contentType })
}

/** Mrs Okafor has a picture, and has uploaded another that is not completed yet. */
export async function furnishPictures(st: School): Promise<void> {
  await uploadPictures(st)
  await st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('user_profile', '', people.okafor.id)
    if (!before) throw new Error('the story has no headteacher')
    const patch = {
      avatar_path: path,
      avatar_type: contentType,
      avatar_size: picture.length,
      avatar_sha256: sha256,
      avatar_updated_at: tx.now,
    }
    await tx.update('user_profile', [{ before, patch }])
  })
}

export const avatarRows: Rows<typeof avatars> = {
  get: { own: [{}, `${none} ${none} ${none} ${none} ok ${none}`, `${none} ${none} ${none}`] },
  upload: { own: [{ file: { name: 'me.png', text: picture, type: 'image/png' } }, everybody] },
  resumable: { own: [{ body: { filename: 'me.png', contentType: 'image/png', totalSize: 2_000 } }, everybody] },
  complete: { own: [{ body: { path } }, `${notHers} ${notHers} ${notHers} ${notHers} ok ${notHers}`, `${notHers} ${notHers} ${notHers}`] },
  remove: { own: [{}, everybody] },
}
