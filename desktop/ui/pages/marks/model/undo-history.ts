import { type CellValue, isCellValue } from './cell-value.ts'

/** One mark before and after an entry, null for none. `gradeId`: the id of the saved mark before it, null for none. */
export type UndoChange = { assessmentId: string; studentId: string; before: CellValue; after: CellValue; gradeId: string | null }
/** The entries made at once; a paste is one step. */
export type UndoStep = readonly UndoChange[]
/** Stores the steps as a text, so that they survive a reload. */
export type UndoStorage = { read(): string | null; write(text: string): void }

const MAX_STEPS = 200
/** The largest length of the stored text; older steps are dropped. A browser stores some megabytes for a tab. */
const MAX_LENGTH = 200_000

/** The steps that can be undone, and those that can be redone, the newest last. */
export class UndoHistory {
  private done: UndoStep[]
  private undone: UndoStep[]

  constructor(private readonly storage: UndoStorage | null = null) {
    const { done, undone } = parse(storage?.read() ?? null)
    this.done = done
    this.undone = undone
  }

  /** Adds a step; undone steps can then not be redone any more. */
  add(step: UndoStep): void {
    this.done.push(step)
    this.undone = []
    this.store()
  }

  /** The step to undo. It stays until it is known what became of it (`noteUndone`), since the server may not answer. */
  newestDone = (): UndoStep | undefined => this.done.at(-1)

  takeUndone(): UndoStep | undefined {
    const step = this.undone.pop()
    if (step) this.store()
    return step
  }

  /** Notes the changes of a step that were undone and can be redone, and those that are still to be undone. */
  noteUndone(step: UndoStep, undone: UndoStep, later: UndoStep = []): void {
    const at = this.done.indexOf(step)
    if (at >= 0) this.done.splice(at, 1, ...(later.length > 0 ? [later] : []))
    if (undone.length > 0) this.undone.push(undone)
    this.store()
  }

  /** Notes that a step was redone and can be undone again. */
  noteDone(step: UndoStep): void {
    if (step.length > 0) this.done.push(step)
    this.store()
  }

  private store(): void {
    if (this.done.length > MAX_STEPS) this.done.shift()
    if (!this.storage) return
    const undone = newestOf(this.undone, MAX_LENGTH - '{"done":[],"undone":[]}'.length)
    const done = newestOf(this.done, undone.left)
    this.storage.write(`{"done":[${done.texts}],"undone":[${undone.texts}]}`)
  }
}

/** The text of each step, computed once, because all steps are stored at each entry. */
const texts = new WeakMap<UndoStep, string>()
function textOf(step: UndoStep): string {
  const text = texts.get(step) ?? JSON.stringify(step)
  texts.set(step, text)
  return text
}

/** The newest steps whose text fits into `letters` characters, oldest first, and the number of characters left. */
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
