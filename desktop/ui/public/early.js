// A classic script that blocks the first paint: it must stay small.
{
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }

  const theme = stored('markbook.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme

  // The same rule as in `api/passkeys.ts`: the prerendered page offers passkeys only where this address can have them.
  const isNumber = /^(\d+(\.\d+){3}|\[.*\])$/.test(location.hostname)
  if (isSecureContext && !isNumber && 'PublicKeyCredential' in window) document.documentElement.dataset.passkeys = 'here'

  // The prerendered sign-in page can be filled in and sent before hydration. Until `prerender/hydrate.tsx` removes the attribute, a press only
  // sets attributes of its button, and the hydrated page then repeats the press.
  const page = () => document.querySelector('[data-prerendered]')

  const parsing = new MutationObserver(() => {
    const form = page()?.querySelector('form')
    const box = form?.querySelector('[type=checkbox]')
    if (!box) return
    parsing.disconnect()
    const address = stored('markbook.address')
    if (!address || form.email.value) return
    form.email.value = address
    box.checked = true
  })
  parsing.observe(document, { childList: true, subtree: true })

  const mark = (event, button) => {
    if (!button || !page()?.querySelector('form')?.contains(button)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    for (const state of ['aria-busy', 'aria-disabled']) {
      for (const other of button.form.querySelectorAll('button')) other.removeAttribute(state)
      button.setAttribute(state, 'true')
    }
  }
  addEventListener('submit', (event) => mark(event, event.submitter), true)
  addEventListener('click', (event) => mark(event, event.target.closest('button[type=button]')), true)

  addEventListener(
    'change',
    ({ target }) => {
      if (!page() || target.tagName !== 'SELECT') return
      try {
        localStorage.setItem('markbook.language', target.value)
      } catch {
        // The page stays in the language in which it was prerendered.
      }
    },
    true,
  )
}
