/**
 * The sign-in page as the server sent it, until the app has taken it over (decision 350): it can be typed in and sent before any script of
 * the app has run. `painted/early.ts` notes on the form what was asked of it; the app does that when it stands.
 */
const PAINTED = 'data-painted'

/** What was asked for: a code by mail, or the step for a code that is there already. */
type Wish = 'mail' | 'code'
/** What was typed and ticked so far, and what was asked for with which address. */
export type Begun = { email: string; isKept: boolean; wish: Wish | null; asked: string }

export const paintedForm = (): HTMLFormElement | null => document.querySelector(`[${PAINTED}] form`)

export const addressOf = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('[name=email]')
export const boxOf = (form: HTMLFormElement) => form.querySelector<HTMLInputElement>('[type=checkbox]')
const sendOf = (form: HTMLFormElement) => form.querySelector('[type=submit]')

export function noteWish(form: HTMLFormElement, wish: Wish): void {
  form.dataset['wish'] = wish
  form.dataset['asked'] = addressOf(form)?.value ?? ''
  for (const state of ['aria-busy', 'aria-disabled']) sendOf(form)?.setAttribute(state, 'true')
}

/** What was begun on the painted page, once; null for a form that the app made itself. From now on the app alone listens. */
export function takeOver(form: HTMLFormElement | null | undefined): Begun | null {
  const page = form?.closest(`[${PAINTED}]`)
  if (!form || !page) return null
  page.removeAttribute(PAINTED)
  const { wish, asked = '' } = form.dataset
  for (const state of ['aria-busy', 'aria-disabled']) sendOf(form)?.removeAttribute(state)
  return {
    email: addressOf(form)?.value ?? '',
    isKept: boxOf(form)?.checked ?? false,
    wish: wish === 'mail' || wish === 'code' ? wish : null,
    asked,
  }
}
