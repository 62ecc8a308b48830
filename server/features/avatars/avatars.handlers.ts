import { avatarFailures, avatars, imageFailures } from '@markbook/shared/contract/avatars'
import { limits } from '@markbook/shared/limits'
import { sha256Of } from '../../files/digest.ts'
import { imageObject, ownerOf } from '../../files/image-address.ts'
import { checkPicture, isImageType } from '../../files/images/picture.ts'
import { chargeUpload } from '../../files/quota.ts'
import { type HandlerContext, type Handlers, on, onOpen, onStaged } from '../../http/handler.ts'
import type { Services } from '../../http/services.ts'
import { asSystem } from '../../store/tx.ts'
import { ownRow, signedIn } from '../auth/profile.policy.ts'
import {
  avatarUrl,
  changedAt,
  issueUploadToken,
  pathOfPicture,
  removeIncoming,
  removeReplaced,
  type StoredPicture,
  storePicture,
  takeIncoming,
} from './avatars.policy.ts'

const DEFAULT_FOLDER = 'avatars'

/** The columns of a person without a picture. The time of the removal stays, so that the next picture has a later one. */
const NO_PICTURE = { avatar_path: null, avatar_type: null, avatar_size: null, avatar_sha256: null }

/** The reply after a new picture was set: its URL and path. */
function shown(services: Services, user: Parameters<typeof avatarUrl>[1]) {
  const avatar_url = avatarUrl(services, user)
  if (avatar_url === null) throw avatarFailures.none()
  return { avatar_url }
}

/** Makes a stored picture the caller's own. */
async function saveAvatar(
  { tx, caller, services, after }: Pick<HandlerContext<typeof avatars.upload>, 'tx' | 'caller' | 'services' | 'after'>,
  picture: StoredPicture,
) {
  await tx.actAs(asSystem(caller.user_id))
  const user = await ownRow(tx, caller)
  const { path, type, size, sha256 } = picture
  const avatar_updated_at = changedAt(tx.nowMs, user.avatar_updated_at)
  const patch = { avatar_path: path, avatar_type: type, avatar_size: size, avatar_sha256: sha256, avatar_updated_at }
  const saved = await tx.update('user_profile', user, patch)
  after(() => removeReplaced(services, [path, user.avatar_path], imageObject(path, sha256)))
  return shown(services, saved)
}

async function storeAvatar(services: Services, path: string, bytes: Uint8Array, declared: string): Promise<StoredPicture> {
  const picture = await checkPicture(bytes, declared)
  return storePicture(services, path, picture, sha256Of(picture.bytes))
}

export const avatarHandlers: Handlers<typeof avatars> = {
  get: on(avatars.get, {
    load: async ({ tx, caller }) => tx.find('user_profile', '', caller.user_id),
    run: async (_context, _input, user) => {
      if (!user?.avatar_path) throw avatarFailures.none()
      const path = imageObject(user.avatar_path, user.avatar_sha256)
      const filename = user.avatar_path.split('/').at(-1) ?? 'avatar'
      const cacheControl = 'private, max-age=3600'
      return { stored: { bucket: 'images', path }, filename, inline: true, cacheControl, missing: avatarFailures.away() }
    },
  }),

  upload: onStaged(avatars.upload, {
    load: async () => undefined,
    gather: async ({ caller }, { upload, query }) => ({ userId: caller.user_id, folder: query.pathname ?? DEFAULT_FOLDER, upload }),
    make: async (services, { userId, folder, upload: { bytes, contentType } }) => {
      await chargeUpload(services, userId, 'images', bytes.length)
      if (!isImageType(contentType)) throw imageFailures.wrongType()
      return storeAvatar(services, pathOfPicture(folder, userId, contentType), bytes, contentType)
    },
    save: saveAvatar,
  }),

  resumable: onOpen(avatars.resumable, async ({ services, caller }, { body: { contentType, totalSize, pathname } }) => {
    const { user_id } = signedIn(caller)
    if (!isImageType(contentType)) throw imageFailures.wrongType()
    if (totalSize > limits.image.bytes) throw imageFailures.tooLarge()
    await chargeUpload(services, user_id, 'images', totalSize)
    const path = pathOfPicture(pathname ?? DEFAULT_FOLDER, user_id, contentType)
    return issueUploadToken(services, { user: user_id, path, type: contentType, size: totalSize })
  }),

  complete: onStaged(avatars.complete, {
    load: async () => undefined,
    gather: async ({ caller }, { body: { path } }) => {
      if (ownerOf(path) !== caller.user_id) throw avatarFailures.notUploaded()
      return path
    },
    make: async (services, path) => {
      const incoming = await takeIncoming(services, path)
      return { path, picture: incoming && (await storeAvatar(services, path, incoming.bytes, incoming.contentType)) }
    },
    save: async (context, { path, picture }) => {
      const { caller, services, after } = context
      if (picture) {
        after(() => removeIncoming(services, path))
        return saveAvatar(context, picture)
      }
      // It was already completed, and the reply was lost.
      if (caller.avatar_path !== path) throw avatarFailures.notUploaded()
      return shown(services, { ...caller, id: caller.user_id })
    },
  }),

  remove: on(avatars.remove, {
    as: 'system',
    load: ({ tx, caller }) => ownRow(tx, caller),
    run: async ({ tx, services, after }, _input, user) => {
      if (user.avatar_path !== null) {
        const avatar_updated_at = changedAt(tx.nowMs, user.avatar_updated_at)
        await tx.update('user_profile', user, { ...NO_PICTURE, avatar_updated_at })
        after(() => removeReplaced(services, [user.avatar_path], null))
      }
      return { message: 'Your picture is removed.' }
    },
  }),
}
