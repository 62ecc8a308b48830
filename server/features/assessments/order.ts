type Placed = { id: string; sort_order: number | null; created_at: string }

/** Text compared by its bytes, the same on every machine. */
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** By `sort_order`, those without one last; equal ones as they were created. SQLite and Postgres put null at different ends. */
export const inOrder = <R extends Placed>(rows: readonly R[]): R[] =>
  [...rows].sort(
    (a, b) =>
      (a.sort_order ?? Number.POSITIVE_INFINITY) - (b.sort_order ?? Number.POSITIVE_INFINITY) ||
      byText(a.created_at, b.created_at) ||
      byText(a.id, b.id),
  )
