/** One event as it goes over the wire: `data` is JSON, so it holds no line break. */
export const toEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/** A comment line, sent to keep the connection open. */
export const HEARTBEAT = ':\n\n'

/**
 * The data of each event of a stream of this service (HTML standard, «Server-sent events»). Its events have no names and no ids, and one
 * line of JSON each.
 */
export async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) if (block.startsWith('data: ')) yield JSON.parse(block.slice('data: '.length))
    }
  } finally {
    // When the reader stops, the connection closes.
    await reader.cancel().catch(() => {})
  }
}
