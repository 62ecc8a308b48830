import { Listeners } from '../../../api/listeners.ts'

/** How long a message is shown, in ms. */
const SHOWN_FOR = 8_000

/** The latest message of the status line; it disappears after `SHOWN_FOR`. */
export class StatusMessage {
  text = ''
  private readonly changes = new Listeners()
  readonly listen = this.changes.add
  private timer: ReturnType<typeof setTimeout> | undefined

  show(text: string): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.set(''), SHOWN_FOR)
    this.set(text)
  }

  private set(text: string): void {
    this.text = text
    this.changes.notify()
  }
}
