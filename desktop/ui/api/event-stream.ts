type EventStreamListener<Event> = {
  onEvent(event: Event): void
  /** `isRefused`: the server has answered, and opens no stream. */
  onError(isRefused: boolean): void
}

/** Pause before the stream is opened again after an error, ms. It grows until an event arrives. */
const RETRY = { first: 2_000, most: 30_000 }

/** Opens the streams of a server that did not answer. */
const waiting = new Set<() => void>()

/** Some request was answered: what still waits for the server need not wait longer, and say that it cannot be reached. */
export function serverAnswered(): void {
  for (const open of [...waiting]) open()
}

/**
 * Follows a stream of server-sent events until the returned function is called. A hidden window closes its stream, since a browser allows six
 * connections for all windows of a server, and opens it again when it becomes visible.
 */
export function followEvents<Event>(url: string, { onEvent, onError }: EventStreamListener<Event>): () => void {
  let stream: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause: number = RETRY.first
  const close = () => {
    clearTimeout(timer)
    waiting.delete(open)
    stream?.close()
    stream = null
  }
  const open = () => {
    close()
    if (document.visibilityState === 'hidden') return
    const own = new EventSource(url)
    stream = own
    own.onmessage = ({ data }) => {
      pause = RETRY.first
      onEvent(JSON.parse(data) as Event)
    }
    own.onerror = () => {
      const isRefused = own.readyState === EventSource.CLOSED
      onError(isRefused)
      close()
      if (!isRefused) waiting.add(open)
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
