/** A key press as the grid reads it; `held`: the modifier keys, and what else differs. */
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
