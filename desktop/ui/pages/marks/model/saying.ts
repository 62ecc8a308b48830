/** How long a line stands, ms: long enough to be read twice. */
const STANDS = 8_000

/** The line under the grid in which it says what a key has done and what others have changed: the newest only, for a while. */
export class Saying {
  text = ''
  private ears = new Set<() => void>()
  private turn = 0
  constructor(private readonly later: (ms: number, then: () => void) => void) {}

  say(text: string): void {
    this.turn += 1
    const turn = this.turn
    this.set(text)
    this.later(STANDS, () => turn === this.turn && this.set(''))
  }

  listen = (ear: () => void): (() => void) => {
    this.ears.add(ear)
    return () => void this.ears.delete(ear)
  }

  private set(text: string): void {
    this.text = text
    for (const ear of this.ears) ear()
  }
}
