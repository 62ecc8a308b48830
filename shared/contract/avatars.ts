import { z } from 'zod'
import { failures } from '../failures.ts'
import { limits } from '../limits.ts'
import { endpoint } from './endpoint.ts'
import { Done, input, Name, row, say } from './scalars.ts'

export const imageTypes = ['image/jpeg', 'image/png', 'image/webp'] as const
export type ImageType = (typeof imageTypes)[number]
/** File extension by image type. */
export const imageEndings: Record<ImageType, string> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' }

const FOLDERS = 'must be one to three names of letters, digits, - and _, of at most 64 characters each, with / between them'
/** Where an avatar is stored; `avatars` by default (decisions §2). */
const Pathname = z.string(say(FOLDERS)).regex(/^[A-Za-z0-9_-]{1,64}(\/[A-Za-z0-9_-]{1,64}){0,2}$/, FOLDERS)

const AVATAR_PATH = 'must be the path that the upload was issued for'
const AvatarPath = z
  .string(say(AVATAR_PATH))
  .regex(/^[A-Za-z0-9_-]{1,64}(\/[A-Za-z0-9_-]{1,64}){0,2}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(jpg|png|webp)$/, AVATAR_PATH)

const AvatarUrl = row('AvatarUrl', { avatar_url: z.string() })

/**
 * What a client needs to upload straight to the storage: `signed_url` takes the whole file by PUT; the others are for a tus client
 * (endpoint, headers, metadata, and the largest piece in bytes).
 */
export const AvatarUpload = row('AvatarUpload', {
  path: z.string(),
  token: z.string(),
  signed_url: z.string(),
  tus_endpoint: z.string(),
  tus_headers: z.object({ authorization: z.string(), 'x-upsert': z.string() }),
  tus_metadata: z.object({ bucketName: z.string(), objectName: z.string(), contentType: z.string() }),
  chunk_size: z.int(),
})
export type AvatarUpload = z.infer<typeof AvatarUpload>

const MEGABYTES = limits.image.bytes / 1_048_576

/** For every stored picture. */
export const imageFailures = failures('images', {
  tooLarge: [413, `This picture is larger than ${MEGABYTES} MB. Please choose a smaller one.`],
  tooManyPixels: [413, 'This picture has too many pixels. Please make it smaller first.'],
  wrongType: [415, 'This is not a picture that can be used. Please choose a JPEG, PNG or WebP picture.'],
})
const IMAGE_FAILS = ['images.too_large', 'images.too_many_pixels', 'images.wrong_type'] as const

export const avatarFailures = failures('avatars', {
  none: [400, 'You have no picture.'],
  away: [404, 'This picture is still on its way from the server where it was uploaded. Please try again later.'],
  notUploaded: [404, 'No picture was uploaded there for you.'],
})

const ABOUT = `JPEG, PNG or WebP, at most ${MEGABYTES} MB. What a camera adds about place and time is taken out.`

export const avatars = {
  get: endpoint('GET /api/auth/avatar', 'session', 'Download the own picture', {
    reply: 'binary',
    fails: ['avatars.none', 'avatars.away'],
  }),
  upload: endpoint('POST /api/auth/avatar', 'session', 'Upload the own picture, in place of the one before', {
    notes: ABOUT,
    status: 201,
    query: z.object({ pathname: Pathname.optional() }),
    body: 'multipart',
    fileBytes: limits.image.bytes,
    reply: AvatarUrl,
    fails: IMAGE_FAILS,
  }),
  resumable: endpoint('POST /api/auth/avatar/resumable', 'session', 'Begin to upload the own picture straight to the storage', {
    notes: `${ABOUT} Upload it by tus with what is answered, or by one PUT to \`signed_url\`, within two hours; then complete it.`,
    status: 201,
    body: input({
      filename: Name,
      contentType: z
        .string(say('must be a media type such as image/png'))
        .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/, 'must be a media type such as image/png'),
      totalSize: z.int(say('must be a size in bytes')).min(1, 'must be at least 1'),
      pathname: Pathname.nullish(),
    }),
    reply: AvatarUpload,
    fails: IMAGE_FAILS,
  }),
  complete: endpoint('POST /api/auth/avatar/complete', 'session', 'Make the picture that was uploaded to the storage the own one', {
    body: input({ path: AvatarPath }),
    reply: AvatarUrl,
    fails: ['avatars.not_uploaded', ...IMAGE_FAILS],
  }),
  remove: endpoint('DELETE /api/auth/avatar', 'session', 'Remove the own picture', { reply: Done }),
}
