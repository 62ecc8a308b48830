/** Copies a text to the clipboard, also over http, where browsers have no `navigator.clipboard`. False where the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext && navigator.clipboard) {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    if (isCopied) return true
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden'
  // Inside an open dialog, since a dialog does not let the focus go outside.
  ;(focused?.closest('[role="dialog"]') ?? document.body).append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } finally {
    area.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
