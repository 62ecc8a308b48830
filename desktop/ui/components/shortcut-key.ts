type Press = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>

/**
 * The key that a shortcut means. Keyboards of other scripts write their own letters with Ctrl and Alt too, and the Option key of a Mac writes
 * signs: there it is the Latin letter of that place, as the browser's own shortcuts take it.
 */
export function keyOfShortcut({ key, code, ctrlKey, metaKey, altKey }: Press): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  return letter && (ctrlKey || metaKey || altKey) && key.length === 1 && key > '~' ? letter.toLowerCase() : key
}
