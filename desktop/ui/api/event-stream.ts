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

/** A stream that was opened before the page that shows it, and what it has brought. */
type Early = { url: string; events: unknown[]; listener: EventStreamListener<unknown> | null; close: () => void }
let early: Early | null = null
/** How long it waits for its page, ms. */
const EARLY = 5_000
/** Streams that a page follows. */
const followed = new Set<string>()

/**
 * Opens a stream before the page that will follow it, so that its first event comes while the page is drawn. There is one at a time, because
 * a browser allows six connections; it is closed where no page follows it within five seconds.
 */
export function openEarly(url: string): void {
  if (early?.url === url || followed.has(url)) return
  early?.close()
  const closeStream = openStream<unknown>(url, {
    onEvent: (event) => (own.listener ? own.listener.onEvent(event) : own.events.push(event)),
    onError: (isRefused) => (own.listener ? own.listener.onError(isRefused) : own.close()),
  })
  const close = () => {
    clearTimeout(timer)
    closeStream()
    if (early === own) early = null
  }
  const own: Early = { url, events: [], listener: null, close }
  const timer = setTimeout(() => own.listener ?? close(), EARLY)
  early = own
}

/** Follows a stream of server-sent events until the returned function is called; one that was opened early goes on. */
export function followEvents<Event>(url: string, listener: EventStreamListener<Event>): () => void {
  const opened = early?.url === url ? early : null
  followed.add(url)
  const stop = opened ? handOver(opened, listener) : openStream(url, listener)
  return () => {
    followed.delete(url)
    stop()
  }
}

function handOver<Event>(opened: Early, listener: EventStreamListener<Event>): () => void {
  early = null
  opened.listener = listener as EventStreamListener<unknown>
  // Not before the follower knows how to stop.
  queueMicrotask(() => {
    for (const event of opened.events) opened.listener?.onEvent(event)
  })
  return () => {
    opened.listener = { onEvent: () => {}, onError: () => {} }
    opened.close()
  }
}

/** A hidden window closes its stream, since a browser allows six connections for all windows of a server, and opens it again when it becomes visible. */
function openStream<Event>(url: string, { onEvent, onError }: EventStreamListener<Event>): () => void {
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
      close()
      if (!isRefused) waiting.add(open)
      timer = setTimeout(open, pause)
      pause = Math.min(RETRY.most, pause * 1.5)
      onError(isRefused)
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
