/** Who is to be invited, as typed or pasted from a list: addresses, with or without names around them; and what is none. */
export type TypedAddresses = { addresses: string[]; wrong: string[] }

const ADDRESS = /[^\s<>()[\]\\,;:"@]+@[^\s<>()[\]\\,;:"@]+\.[^\s<>()[\]\\,;:"@]+/gu

/** Every address of every line counts, once, whatever its case; a line without one is wrong. */
export function typedAddresses(text: string): TypedAddresses {
  const addresses = new Set<string>()
  const wrong: string[] = []
  for (const line of text.split(/[\n;]/)) {
    const found = line.match(ADDRESS) ?? []
    if (found.length === 0 && line.trim() !== '') wrong.push(line.trim())
    for (const address of found) addresses.add(address.toLowerCase())
  }
  return { addresses: [...addresses], wrong }
}
