/** Bytes that the server holds for others, by client: what is being sent to it, and what it answered and nobody has read yet. */
export type Ledger = {
  /** Counts `bytes` for the client until the answered function is called. */
  hold(client: string, bytes: number): () => void
  /** True where this client, or all together, have too much under way for another request. */
  isOver(client: string): boolean
  total(): number
}

export function ledger({ client: most, all }: { client: number; all: number }): Ledger {
  const held = new Map<string, number>()
  let total = 0
  const change = (client: string, by: number) => {
    total += by
    const now = (held.get(client) ?? 0) + by
    if (now > 0) held.set(client, now)
    else held.delete(client)
  }
  return {
    hold(client, bytes) {
      let isHeld = true
      change(client, bytes)
      return () => {
        if (isHeld) change(client, -bytes)
        isHeld = false
      }
    },
    // Over all, those go without who hold something: the others are not to blame.
    isOver: (client) => {
      const own = held.get(client) ?? 0
      return own > most || (total > all && own > 0)
    },
    total: () => total,
  }
}
