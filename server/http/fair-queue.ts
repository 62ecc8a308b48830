/** Those who wait, taken in turns: one of each client, the oldest of a client first. */
export type FairQueue<T> = {
  size(): number
  /** Puts `item` in line. Where that makes too many, answers the newest of the client who has most: the one that has to go. */
  add(client: string, item: T): T | undefined
  take(): T | undefined
  remove(client: string, item: T): void
  /** Takes out those at the front of their client's line for whom this is true. */
  sweep(isOver: (item: T) => boolean): T[]
}

/** One loud client fills its own line and nobody else's: `most` is shared by whoever is there. */
export function fairQueue<T>(most: number): FairQueue<T> {
  /** In the order of turns; a client without anything in line is not in it. */
  const lines = new Map<string, T[]>()
  let size = 0

  const drop = (client: string, line: T[], at: number): T => {
    const [item] = line.splice(at, 1) as [T]
    size -= 1
    if (line.length === 0) lines.delete(client)
    return item
  }
  const longest = () => {
    let found: [string, T[]] = ['', []]
    for (const entry of lines) if (entry[1].length > found[1].length) found = entry
    return found
  }

  return {
    size: () => size,
    add(client, item) {
      const line = lines.get(client)
      if (line) line.push(item)
      else lines.set(client, [item])
      size += 1
      if (size <= most) return undefined
      const [loudest, its] = longest()
      return drop(loudest, its, its.length - 1)
    },
    take() {
      for (const [client, line] of lines) {
        const item = drop(client, line, 0)
        if (line.length > 0) {
          lines.delete(client)
          lines.set(client, line)
        }
        return item
      }
      return undefined
    },
    remove(client, item) {
      const line = lines.get(client)
      const at = line?.indexOf(item) ?? -1
      if (line && at >= 0) drop(client, line, at)
    },
    sweep(isOver) {
      const over: T[] = []
      for (const [client, line] of [...lines]) while (line.length > 0 && isOver(line[0] as T)) over.push(drop(client, line, 0))
      return over
    },
  }
}
