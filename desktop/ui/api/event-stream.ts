type EventStreamListener<Event> = {
  onEvent(event: Event): void
  /** `isRefused`: the server replied without opening a stream; else no server was reached. */
  onError(isRefused: boolean): void
}

/** The pause before a stream is opened again after an error, in ms. It grows until an event arrives. */
const RETRY = { first: 2_000, most: 30_000 }

/** Functions that open the streams that no server answered. */
const waiting = new Set<() => void>()

/** To be called when any request is answered: opens the waiting streams at once, so that no page says that the server cannot be reached. */
export function serverAnswered(): void {
  for (const open of [...waiting]) open()
}

/** A stream that was opened before its page, and the events so far. */
type Early = { url: string; events: unknown[]; listener: EventStreamListener<unknown> | null; close: () => void }
let early: Early | null = null
/** How long an early stream waits for its page, in ms. */
const EARLY = 5_000
/** The URLs of the streams that a page follows. */
const followed = new Set<string>()

/**
 * Opens a stream before the page that will follow it, so that the first event arrives while the page is rendered. Only one at a time,
 * because a browser allows six connections. It is closed where no page follows it within five seconds.
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

/** The events of the stream that was opened early, so far. Its follower gets them too. */
export const broughtEarly = (url: string): readonly unknown[] => (early?.url === url ? early.events : [])

/** Follows a stream of server-sent events until the returned function is called. Continues one that was opened early. */
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
  // Deferred, so that the caller has the function that stops it.
  queueMicrotask(() => {
    for (const event of opened.events) opened.listener?.onEvent(event)
  })
  return () => {
    opened.listener = { onEvent: () => {}, onError: () => {} }
    opened.close()
  }
}

/**
 * Opens a stream, and returns a function that closes it. A hidden window has no stream, since a browser allows six connections to a server
 * for all its windows; it is opened again when the window becomes visible.
 */
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
