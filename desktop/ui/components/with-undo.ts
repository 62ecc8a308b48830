import { Failure } from '@markbook/shared/failures'
import i18next from 'i18next'
import { tell, tellFailure } from './toasts.tsx'

export type Reversible<T> = {
  /** Makes the change; called again for «Redo». */
  run: () => Promise<T>
  /** Undoes the change of `run`, with the same endpoint if possible; null where nothing was changed, or this person may not undo it. */
  back: ((done: T) => Promise<unknown>) | null
  said: string | ((done: T) => string)
}

/** Functions that show the messages; `what` is the change that was made or undone. */
type Toasts = {
  done: (what: string, undo: (() => void) | null) => void
  undone: (what: string, redo: () => void) => void
  failed: (failure: unknown) => void
}

export const undoWith =
  (say: Toasts) =>
  async <T>(change: Reversible<T>): Promise<T> => {
    const done = await change.run()
    const said = typeof change.said === 'string' ? change.said : change.said(done)
    const { back } = change
    const redo = () => void undoWith(say)(change).catch(say.failed)
    say.done(said, back && (() => void back(done).then(() => say.undone(said, redo), say.failed)))
    return done
  }

/** Shows that something was undone, with «Redo». */
export const tellUndone = (what: string, redo: () => void): void =>
  tell(i18next.t('app:state.undone', { what }), { label: i18next.t('app:action.redo'), onPress: redo })

/** Makes a change and shows it with «Undo», and after an undo with «Redo». Failures of undo and redo are shown too. */
export const saveWithUndo = undoWith({
  done: (what, undo) => tell(what, undo ? { label: i18next.t('app:action.undo'), onPress: undo } : undefined),
  undone: tellUndone,
  failed: tellFailure,
})

/** Called before the addition of a row is undone. Throws where something was put into it since, which nobody wants to undo with it. */
export function demandEmpty(isEmpty: boolean): void {
  if (!isEmpty)
    throw new Failure(409, 'undo.filled', 'Something was added to it since, so it stays. It can still be deleted where it is changed.')
}

/**
 * A function that writes back the fields in which `after` differs from `before`; null where it does not. Other fields are not written,
 * since somebody else may have changed them.
 */
export function backTo<B extends object>(
  before: B,
  after: B,
  write: (former: Partial<B>) => Promise<unknown>,
): (() => Promise<unknown>) | null {
  const names = (Object.keys(after) as (keyof B)[]).filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
  if (names.length === 0) return null
  const former = Object.fromEntries(names.map((name) => [name, before[name]])) as Partial<B>
  return () => write(former)
}
