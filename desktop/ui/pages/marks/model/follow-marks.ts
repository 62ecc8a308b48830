import type { LiveMarks } from '@markbook/shared/contract/grades'

/** What is followed, as the endpoint takes it. */
export type Followed = { termId: string; subjectId: string; studentGroupId: string }
type Hearing = { hear(event: LiveMarks): void; unheard(): void }

/** After the server has refused a stream, or has gone, ms: longer each time, until something is heard again. */
const AGAIN = { first: 2_000, most: 30_000 }

/**
 * Follows the marks of a class until the returned function is called. A window that nobody sees lets go of its stream, of which a browser
 * has six for all windows of a server, and begins anew when it is seen again.
 */
export function followMarks(followed: Followed, { hear, unheard }: Hearing): () => void {
  let stream: EventSource | null = null
  let again: ReturnType<typeof setTimeout> | undefined
  let pause: number = AGAIN.first
  const close = () => {
    clearTimeout(again)
    stream?.close()
    stream = null
  }
  const open = () => {
    close()
    if (document.visibilityState === 'hidden') return
    const own = new EventSource(`/api/grades/events?${new URLSearchParams(followed)}`)
    stream = own
    own.onmessage = ({ data }) => {
      pause = AGAIN.first
      hear(JSON.parse(data) as LiveMarks)
    }
    own.onerror = () => {
      unheard()
      close()
      again = setTimeout(open, pause)
      pause = Math.min(AGAIN.most, pause * 1.5)
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
