import { randomBytes } from 'node:crypto'
import type { AvatarUpload } from '@markbook/shared/contract/avatars'
import { limits } from '@markbook/shared/limits'
import { type Ticket, ticketToken } from '../../files/tickets.ts'
import type { Services } from '../../http/services.ts'

/** Where the storage takes uploads. */
export const TUS_PATH = '/storage/v1/upload/resumable'
export const SIGNED_PATH = '/storage/v1/object/upload/sign/images/'

/** The right to upload one picture, in the words that clients need. */
export function issueTicket({ clock, config, keys }: Services, wanted: Omit<Ticket, 'id' | 'until'>): AvatarUpload {
  const ticket = { id: randomBytes(16).toString('hex'), ...wanted, until: clock.now() + limits.resumable.life }
  const token = ticketToken(ticket, keys.upload)
  const { path, type } = ticket
  return {
    path,
    token,
    signed_url: `${config.publicUrl}${SIGNED_PATH}${path}?token=${token}`,
    tus_endpoint: `${config.publicUrl}${TUS_PATH}`,
    tus_headers: { authorization: `Bearer ${token}`, 'x-upsert': 'true' },
    tus_metadata: { bucketName: 'images', objectName: path, contentType: type },
    chunk_size: limits.resumable.chunk,
  }
}
