import { randomBytes } from 'node:crypto'
import type { AvatarUpload } from '@markbook/shared/contract/avatars'
import { people } from '@markbook/shared/story/people'
import { Upload } from 'tus-js-client'
import { png } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'
import { keepOnS3, listening } from '../../testing/storage.ts'

/** The path of Mr Byrne's picture. */
export const PATH = `avatars/${people.byrne.id}.png`
/** A picture with random bytes, so that a gap or a repetition would be found. */
export const large = (bytes: number): Buffer<ArrayBuffer> => png({ extra: [['IDAT', randomBytes(bytes)]] })

/** A listening school to which Mr Byrne uploads. */
export type Desk = {
  st: School
  url: string
  issue(totalSize: number): Promise<AvatarUpload>
  complete(path?: string): Promise<{ avatar_url: string }>
  close(): Promise<void>
}

export async function openDesk({ onS3 }: { onS3: boolean }): Promise<Desk> {
  const st = await school()
  const stopS3 = onS3 ? await keepOnS3(st) : async () => {}
  const { url, stop } = await listening(st)
  return {
    st,
    url,
    issue: (totalSize) => st.as.byrne.avatars.resumable({ body: { filename: 'me.png', contentType: 'image/png', totalSize } }),
    complete: (path = PATH) => st.as.byrne.avatars.complete({ body: { path } }),
    close: async () => {
      await stop()
      await stopS3()
      await st.close()
    },
  }
}

export const seen = async (address: string): Promise<Buffer> => Buffer.from(await (await fetch(address)).arrayBuffer())

type UploadOptions = { cutAfter?: number; previous?: string | null; chunkSize?: number }
/** Uploads with tus-js-client as a page would; `cutAfter` breaks the connection after this many bytes. Returns the upload's URL. */
export function upload(
  bytes: Buffer,
  issued: AvatarUpload,
  { cutAfter, previous = null, chunkSize = issued.chunk_size }: UploadOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const client: Upload = new Upload(bytes, {
      endpoint: issued.tus_endpoint,
      headers: issued.tus_headers,
      metadata: issued.tus_metadata,
      chunkSize,
      uploadUrl: previous,
      retryDelays: null,
      onProgress: (sent) => {
        if (cutAfter !== undefined && sent >= cutAfter) void client.abort().then(() => resolve(client.url ?? ''))
      },
      onSuccess: () => resolve(client.url ?? ''),
      onError: reject,
    })
    client.start()
  })
}
