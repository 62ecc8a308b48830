/**
 * Runs before the first paint of the painted sign-in page, as a classic script: it fills in the address that this computer was told to
 * remember, and keeps what is asked of the page until the app has taken it over. It must stay small, since the first paint waits for it.
 */
import { addressOf, boxOf, noteWish, paintedForm } from '../pages/sign-in/painted.ts'
import { rememberedAddress } from '../pages/sign-in/remembered.ts'
import { keepLanguage } from '../words/kept-language.ts'

function fillIn(form: HTMLFormElement): void {
  const field = addressOf(form)
  const box = boxOf(form)
  const address = rememberedAddress()
  if (!field || !box || !address || field.value) return
  field.value = address
  box.checked = true
}

const watch = new MutationObserver(() => {
  const form = paintedForm()
  if (!form || !boxOf(form)) return
  watch.disconnect()
  fillIn(form)
})
watch.observe(document, { childList: true, subtree: true })

/** The event, where it is the painted form's. The app must not hear of it as well. */
function formOf(event: Event): HTMLFormElement | null {
  const form = paintedForm()
  if (!form?.contains(event.target as Node)) return null
  return form
}

addEventListener(
  'submit',
  (event) => {
    const form = formOf(event)
    if (!form) return
    event.preventDefault()
    event.stopImmediatePropagation()
    noteWish(form, 'mail')
  },
  true,
)

addEventListener(
  'click',
  (event) => {
    const form = formOf(event)
    if (!form || !(event.target as Element).closest('button[type=button]')) return
    event.stopImmediatePropagation()
    noteWish(form, 'code')
  },
  true,
)

addEventListener(
  'change',
  ({ target }) => {
    if (paintedForm() && target instanceof HTMLSelectElement) keepLanguage(target.value)
  },
  true,
)
