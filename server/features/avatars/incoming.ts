import { Readable } from 'node:stream'
import { imageFailures } from '@markbook/shared/contract/avatars'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { incomingObject } from '../../files/image-address.ts'
import type { Ticket } from '../../files/tickets.ts'
import type { Services } from '../../http/services.ts'

const shorter = () => common.validationFailed({ issues: [{ path: 'file', message: 'was cut off: fewer bytes came than were said' }] })

/** Exactly so many bytes. Throws 413 where more come, 400 where fewer do. */
async function* exactly(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  const pieces = source[Symbol.asyncIterator]()
  for (;;) {
    const next = await pieces.next().catch(() => {
      throw shorter()
    })
    if (next.done) break
    size += next.value.length
    if (size > bytes) throw common.tooLarge({ message: `More bytes came than the ${bytes} that were said.` })
    yield next.value
  }
  if (size < bytes) throw shorter()
}

/** Keeps what was uploaded by a ticket until it is completed; it is nobody's picture yet, and served to nobody. */
export async function keepIncoming({ files }: Services, { path, type, size }: Ticket, content: AsyncIterable<Uint8Array>): Promise<void> {
  const body = Readable.from(exactly(content, size), { objectMode: false })
  await files.put('images', incomingObject(path), body, { contentType: type, overwrite: true })
}

/** What was uploaded to a path; null where nothing was. */
export async function takeIncoming({ files }: Services, path: string): Promise<{ bytes: Uint8Array; contentType: string } | null> {
  const opened = await files.open('images', incomingObject(path))
  if (!opened) return null
  const { object, body } = opened
  if (object.size > limits.image.bytes) {
    body.destroy()
    throw imageFailures.tooLarge()
  }
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return { bytes: Buffer.concat(pieces), contentType: object.contentType }
}

export const removeIncoming = ({ files, log }: Services, path: string): Promise<void> =>
  files.remove('images', incomingObject(path)).catch((error) => log.warn({ err: error }, 'a completed upload could not be removed'))
