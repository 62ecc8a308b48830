/** What an entry of the history says of a row: by column, the value before and the value after; null where there is none. */
export type Changes = Record<string, { before: unknown; after: unknown }>

type Values = Readonly<Record<string, unknown>>
/** A side is absent where all its values are null, as before a row was made and after it was deleted. Each has the columns in one order. */
type StoredChanges = { before?: Values; after?: Values }
/** As the first edition stored them. */
type FormerChanges = Changes

/** As stored and hashed: the name of a column stands once for a row that was made or deleted. */
export function changesToText(changes: Changes): string {
  const stored: StoredChanges = {}
  for (const side of ['before', 'after'] as const) {
    const values: Record<string, unknown> = {}
    let isAny = false
    for (const name in changes) {
      const value = (changes[name] as Changes[string])[side]
      values[name] = value
      isAny ||= value !== null
    }
    if (isAny) stored[side] = values
  }
  return JSON.stringify(stored)
}

/** No changes where the text is none of these: an older program took what other nodes told of the history as it came. */
export function textToChanges(text: string): Changes {
  const parsed = parsedChanges(text)
  if (parsed === null) return {}
  if (!isStored(parsed)) return parsed
  const { before, after } = parsed
  const changes: Changes = {}
  for (const name in after ?? before) changes[name] = { before: before?.[name] ?? null, after: after?.[name] ?? null }
  return changes
}

/** Null where the text is not what a program stores. */
export function parsedChanges(text: string): StoredChanges | FormerChanges | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isRecord(parsed)) return null
    if (isStored(parsed as StoredChanges)) return Object.values(parsed).every(isRecord) ? (parsed as StoredChanges) : null
    return Object.values(parsed).every((each) => isRecord(each) && 'before' in each && 'after' in each) ? (parsed as FormerChanges) : null
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** No column of a table, and nothing that the program notes, is called so. */
const isStored = (parsed: StoredChanges | FormerChanges): parsed is StoredChanges =>
  Object.keys(parsed).every((name) => name === 'before' || name === 'after')
