/** A save as it can be taken back: what was there before, null for nothing, and what was put there. */
export type Step = { assessmentId: string; studentId: string; before: number | null; after: number }

/** More than anybody takes back one after the other. */
const MOST = 200

/** What was entered on this page, newest last; a paste is one entry. */
export class UndoStack {
  private readonly entries: Step[][] = []

  push(steps: readonly Step[]): void {
    const changes = steps.filter(({ before, after }) => before !== after)
    if (changes.length === 0) return
    this.entries.push(changes)
    if (this.entries.length > MOST) this.entries.shift()
  }

  pop = (): readonly Step[] | null => this.entries.pop() ?? null
}
