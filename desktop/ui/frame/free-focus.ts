/**
 * Whether nothing on this page has the focus, so that the page may take it. Back leaves it on a link of the frame that was pressed before and
 * leads to another page.
 */
export function isFocusFree(): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body || activeElement.id === 'page') return true
  return activeElement.matches('a:not([aria-current])') && !activeElement.closest('#page')
}
