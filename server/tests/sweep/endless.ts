const MEGABYTE = 1_048_576

/** A body of so many megabytes that is made only as it is read, and that counts how much of it was. */
export function endless(megabytes: number): { body: ReadableStream<Uint8Array>; megabytesRead(): number } {
  const part = new Uint8Array(65_536).fill(0x20)
  let read = 0
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (read >= megabytes * MEGABYTE) return controller.close()
      read += part.length
      controller.enqueue(part)
    },
  })
  return { body, megabytesRead: () => read / MEGABYTE }
}
