/** What an entry of the history says of a row: by column, the value before and the value after; null where there is none. */
export type Changes = Record<string, { before: unknown; after: unknown }>

type Values = Readonly<Record<string, unknown>>
/** A side is absent where all its values are null, as before a row was made and after it was deleted. Each has the columns in one order. */
type StoredChanges = { before?: Values; after?: Values }
/** As the first edition stored them. */
type FormerChanges = Changes

/** As stored and hashed: the name of a column stands once for a row that was made or deleted. */
export function changesToText(changes: Changes): string {
  const columns = Object.entries(changes)
  const stored: StoredChanges = {}
  for (const side of ['before', 'after'] as const)
    if (columns.some(([, each]) => each[side] !== null))
      stored[side] = Object.fromEntries(columns.map(([name, each]) => [name, each[side]]))
  return JSON.stringify(stored)
}

export function textToChanges(text: string): Changes {
  const parsed = JSON.parse(text) as StoredChanges | FormerChanges
  if (!isStored(parsed)) return parsed
  const { before, after } = parsed
  const changes: Changes = {}
  for (const name in after ?? before) changes[name] = { before: before?.[name] ?? null, after: after?.[name] ?? null }
  return changes
}

/** No column of a table, and nothing that the program notes, is called so. */
const isStored = (parsed: StoredChanges | FormerChanges): parsed is StoredChanges =>
  Object.keys(parsed).every((name) => name === 'before' || name === 'after')
