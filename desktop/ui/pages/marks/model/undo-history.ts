import { type CellValue, isCellValue } from './cell-value.ts'

/** The mark before an entry and after it, null for none. `gradeId`: of the mark that was saved before, null for none. */
export type UndoChange = { assessmentId: string; studentId: string; before: CellValue; after: CellValue; gradeId: string | null }
/** What was entered at once: a paste is one step. */
export type UndoStep = readonly UndoChange[]
/** Where the steps outlive a reload, as a text. */
export type UndoStorage = { read(): string | null; write(text: string): void }

const MAX_STEPS = 200
/** Of the stored text; the oldest steps go. A browser has some megabytes for all that a tab keeps. */
const MAX_LENGTH = 200_000

/** The steps that can be taken back, and those that can be done again, newest last. */
export class UndoHistory {
  private done: UndoStep[]
  private undone: UndoStep[]

  constructor(private readonly storage: UndoStorage | null = null) {
    const { done, undone } = parse(storage?.read() ?? null)
    this.done = done
    this.undone = undone
  }

  /** A new entry ends what could be done again. */
  add(step: UndoStep): void {
    this.done.push(step)
    this.undone = []
    this.store()
  }

  takeDone = (): UndoStep | undefined => this.take(this.done)
  takeUndone = (): UndoStep | undefined => this.take(this.undone)

  /** A step, or a part of it, was taken back, and can be done again. */
  noteUndone(step: UndoStep): void {
    if (step.length > 0) this.undone.push(step)
    this.store()
  }

  /** It was done again, and can be taken back once more. */
  noteDone(step: UndoStep): void {
    if (step.length > 0) this.done.push(step)
    this.store()
  }

  private take(steps: UndoStep[]): UndoStep | undefined {
    const step = steps.pop()
    if (step) this.store()
    return step
  }

  private store(): void {
    if (this.done.length > MAX_STEPS) this.done.shift()
    if (!this.storage) return
    const undone = newestOf(this.undone, MAX_LENGTH - '{"done":[],"undone":[]}'.length)
    const done = newestOf(this.done, undone.left)
    this.storage.write(`{"done":[${done.texts}],"undone":[${undone.texts}]}`)
  }
}

/** Each step is written as a text once, since all of them are stored at every key that enters a mark. */
const texts = new WeakMap<UndoStep, string>()
function textOf(step: UndoStep): string {
  const text = texts.get(step) ?? JSON.stringify(step)
  texts.set(step, text)
  return text
}

/** The newest steps that fit into so many letters, oldest first, and the letters that are left. */
function newestOf(steps: readonly UndoStep[], letters: number): { texts: string; left: number } {
  const fitting: string[] = []
  let left = letters
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const text = textOf(steps[at] as UndoStep)
    if (text.length + 1 > left) break
    left -= text.length + 1
    fitting.unshift(text)
  }
  return { texts: fitting.join(','), left }
}

function parse(text: string | null): { done: UndoStep[]; undone: UndoStep[] } {
  try {
    const { done, undone } = JSON.parse(text ?? '{}') as { done?: unknown; undone?: unknown }
    return { done: stepsIn(done), undone: stepsIn(undone) }
  } catch {
    return { done: [], undone: [] }
  }
}

const stepsIn = (value: unknown): UndoStep[] =>
  Array.isArray(value) ? value.filter((step): step is UndoStep => Array.isArray(step) && step.every(isChange)) : []

const isChange = (value: unknown): value is UndoChange => {
  const { assessmentId, studentId, before, after, gradeId } = (value ?? {}) as Partial<UndoChange>
  return (
    typeof assessmentId === 'string' &&
    typeof studentId === 'string' &&
    isCellValue(before) &&
    isCellValue(after) &&
    (gradeId === null || typeof gradeId === 'string')
  )
}
