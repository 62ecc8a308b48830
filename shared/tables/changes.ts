import { isRecord } from './describe.ts'

/** The changes of a history entry: by column, the value before and the value after; null where there is none. */
export type Changes = Record<string, { before: unknown; after: unknown }>

type Values = Readonly<Record<string, unknown>>
/** A side is absent where all its values are null: before a row was created, after it was deleted. Both list the columns in one order. */
type StoredChanges = { before?: Values; after?: Values }
/** The form that the first edition stored. */
type FormerChanges = Changes

/** The text that is stored and hashed. For a created or deleted row each column name occurs once. */
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

/** Returns no changes for a text of another form: an older program stored the history of other nodes unchecked. */
export function textToChanges(text: string): Changes {
  const parsed = parsedChanges(text)
  if (parsed === null) return {}
  if (!isStored(parsed)) return parsed
  const { before, after } = parsed
  const changes: Changes = {}
  for (const name in after ?? before) changes[name] = { before: before?.[name] ?? null, after: after?.[name] ?? null }
  return changes
}

/** Null where the text has no form that a program stores. */
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

/** No column and no recorded field is named `before` or `after`. */
const isStored = (parsed: StoredChanges | FormerChanges): parsed is StoredChanges =>
  Object.keys(parsed).every((name) => name === 'before' || name === 'after')
