import { imageFailures } from '@markbook/shared/contract/avatars'
import { schools } from '@markbook/shared/contract/schools'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { sha256Of } from '../../files/digest.ts'
import { imageObject, publicImageUrl } from '../../files/image-address.ts'
import { checkPicture } from '../../files/images/picture.ts'
import { chargeUpload } from '../../files/quota.ts'
import { onStaged } from '../../http/handler.ts'
import { changedAt, pathOfPicture, removeReplaced, storePicture } from '../avatars/avatars.policy.ts'
import { ownSchool } from '../policy.ts'

type School = Row<'school'>

const FOLDER = 'crests'
/** A PDF cannot contain a WebP. */
const PRINTABLE = ['image/jpeg', 'image/png']

/** The own school as its members see it. */
export const withCrest = (school: School, publicUrl: string) => ({
  ...school,
  crest_url: school.crest_path && publicImageUrl(publicUrl, school.crest_path, school.crest_updated_at),
})

export const putCrest = onStaged(schools.putCrest, {
  load: ownSchool,
  gather: async ({ caller }, { upload }, { id }) => ({ userId: caller.user_id, schoolId: id, upload }),
  make: async (services, { userId, schoolId, upload: { bytes, contentType } }) => {
    await chargeUpload(services, userId, 'images', bytes.length)
    if (!PRINTABLE.includes(contentType))
      throw imageFailures.wrongType({ message: 'The crest is printed on report cards. Please choose a JPEG or PNG picture.' })
    const picture = await checkPicture(bytes, contentType, limits.image.printedPixels)
    return storePicture(services, pathOfPicture(FOLDER, schoolId, picture.type), picture, sha256Of(picture.bytes))
  },
  save: async ({ tx, services, after }, { path, type, size, sha256 }, before) => {
    const crest_updated_at = changedAt(tx.nowMs, before.crest_updated_at)
    const patch = { crest_path: path, crest_type: type, crest_size: size, crest_sha256: sha256, crest_updated_at }
    const school = await tx.update('school', before, patch)
    after(() => removeReplaced(services, [path, before.crest_path], imageObject(path, sha256)))
    return withCrest(school, services.config.publicUrl)
  },
})
