import { Listeners } from '../../../api/listeners.ts'

/** Duration of a message, ms. */
const SHOWN_FOR = 8_000

/** The latest message of the status line, cleared after a while. */
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
