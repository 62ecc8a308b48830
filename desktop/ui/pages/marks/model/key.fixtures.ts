/** A key press as the grid gets it; `held`: modifier keys and other properties. */
export const key = (
  name: string,
  held: Partial<Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing', boolean> & { code: string }> = {},
) => ({
  key: name,
  code: '',
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  isComposing: false,
  ...held,
})
