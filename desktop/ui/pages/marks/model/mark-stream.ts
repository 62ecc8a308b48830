import type { LiveMarks } from '@markbook/shared/contract/grades'

/** The query of the endpoint. */
export type MarkStreamQuery = { termId: string; subjectId: string; studentGroupId: string }
type MarkStreamListener = { onEvent(event: LiveMarks): void; onError(): void }

/** Pause before the stream is opened again after an error, ms. It grows until an event arrives. */
const RETRY = { first: 2_000, most: 30_000 }

/**
 * Subscribes to the marks of a class until the returned function is called. A hidden window closes its stream, since a browser allows six
 * connections for all windows of a server, and opens it again when it becomes visible.
 */
export function subscribeToMarks(query: MarkStreamQuery, { onEvent, onError }: MarkStreamListener): () => void {
  let stream: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause: number = RETRY.first
  const close = () => {
    clearTimeout(timer)
    stream?.close()
    stream = null
  }
  const open = () => {
    close()
    if (document.visibilityState === 'hidden') return
    const own = new EventSource(`/api/grades/events?${new URLSearchParams(query)}`)
    stream = own
    own.onmessage = ({ data }) => {
      pause = RETRY.first
      onEvent(JSON.parse(data) as LiveMarks)
    }
    own.onerror = () => {
      onError()
      close()
      timer = setTimeout(open, pause)
      pause = Math.min(RETRY.most, pause * 1.5)
    }
  }
  document.addEventListener('visibilitychange', open)
  addEventListener('online', open)
  open()
  return () => {
    close()
    document.removeEventListener('visibilitychange', open)
    removeEventListener('online', open)
  }
}
