const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, LIST, LIST_END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]

/** Whether JSON nests objects and lists more than `most` deep. Counted on its bytes, before parsing. */
export function isDeeperThan(most: number, bytes: Uint8Array): boolean {
  let depth = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at + 1)
    else if (byte === OBJECT || byte === LIST) depth += 1
    else if (byte === OBJECT_END || byte === LIST_END) depth -= 1
    if (depth > most) return true
  }
  return false
}

/** The index of the closing quotation mark of the string that begins at `from`. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
