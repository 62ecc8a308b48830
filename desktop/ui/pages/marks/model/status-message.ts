/** Duration of a message, ms. */
const SHOWN_FOR = 8_000

/** The latest message of the status line, cleared after a while. */
export class StatusMessage {
  text = ''
  private readonly listeners = new Set<() => void>()
  private timer: ReturnType<typeof setTimeout> | undefined

  show(text: string): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.set(''), SHOWN_FOR)
    this.set(text)
  }

  listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  private set(text: string): void {
    this.text = text
    for (const listener of this.listeners) listener()
  }
}
