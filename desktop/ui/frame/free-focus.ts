/**
 * Whether no element of the page has the focus, so that the page may take it. A link of the frame that leads to another page counts as
 * none: Back leaves the focus on the link that was pressed before.
 */
export function isFocusFree(): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body || activeElement.id === 'page') return true
  return activeElement.matches('a:not([aria-current])') && !activeElement.closest('#page')
}
