const [QUOTE, BACKSLASH, OBJECT, OBJECT_END, LIST, LIST_END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]

/** Whether JSON has more than `most` objects and lists within each other. Counted on its bytes, before anything is made of them. */
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

/** Where the text that begins here has its closing quotation mark. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
