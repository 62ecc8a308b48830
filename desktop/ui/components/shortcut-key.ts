type Press = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>

/**
 * The key of a shortcut. With Ctrl or Alt, keyboards of other scripts give their own letters, and the Option key of a Mac gives signs.
 * There it is the Latin letter at the same place of the keyboard, as for the browser's own shortcuts.
 */
export function keyOfShortcut({ key, code, ctrlKey, metaKey, altKey }: Press): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  return letter && (ctrlKey || metaKey || altKey) && key.length === 1 && key > '~' ? letter.toLowerCase() : key
}
