import { HEARTBEAT, toEvent } from '@markbook/shared/contract/events'
import type { HeaderList } from './replies.ts'

/** Heartbeat interval in ms: proxies close a connection that is silent for a minute. */
const BEAT_MS = 15_000

/**
 * A stream of server-sent events. A client that closes the connection aborts the signal of `follow`. The first event is awaited, so that a
 * refusal becomes an ordinary reply. `X-Accel-Buffering` keeps nginx from buffering events.
 */
export async function eventsReply(follow: (signal: AbortSignal) => AsyncIterable<unknown>, headers: HeaderList): Promise<Response> {
  const hungUp = new AbortController()
  const events = follow(hungUp.signal)[Symbol.asyncIterator]()
  let first: IteratorResult<unknown> | undefined = await events.next()
  const encoder = new TextEncoder()
  let beat: NodeJS.Timeout | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      beat = setInterval(() => controller.enqueue(encoder.encode(HEARTBEAT)), BEAT_MS).unref()
    },
    pull: async (controller) => {
      try {
        const next = first ?? (await events.next())
        first = undefined
        if (!next.done) return controller.enqueue(encoder.encode(toEvent(next.value)))
        clearInterval(beat)
        controller.close()
      } catch (error) {
        clearInterval(beat)
        throw error
      }
    },
    cancel: () => {
      clearInterval(beat)
      hungUp.abort()
      void events.return?.()
    },
  })
  return new Response(body, {
    headers: [
      ['content-type', 'text/event-stream; charset=UTF-8'],
      ['cache-control', 'no-store'],
      ['x-content-type-options', 'nosniff'],
      ['x-accel-buffering', 'no'],
      ...headers,
    ],
  })
}
