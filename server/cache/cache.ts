/** What an entry was made from, such as the revision or `updated_at` of its row. */
export type Stamp = string | number

/**
 * A cache of JSON values. It may forget anything at any time, and it never fails a request.
 *
 * An entry is answered only to a reader that names the stamp it was written with. So a reader that knows the current revision can never
 * be given an older value, even one that a slower writer put back afterwards, or whose successor was lost on the way to a shared cache:
 * nothing has to be deleted.
 *
 * Times to live are in milliseconds; values come back as copies, as JSON would make them.
 */
export type Cache = {
  get<T>(key: string, stamp: Stamp): Promise<T | undefined>
  set(key: string, value: unknown, ttlMs: number, stamp: Stamp): Promise<void>
  /** The same of a value that is JSON already, for large replies that go out as they are. */
  getText(key: string, stamp: Stamp): Promise<string | undefined>
  setText(key: string, json: string, ttlMs: number, stamp: Stamp): Promise<void>
  close(): Promise<void>
}

/** The stored form: the stamp, a line feed, the value; a stamp never holds a line feed once it is JSON. */
export const pack = (json: string, stamp: Stamp): string => `${JSON.stringify(stamp)}\n${json}`
export const jsonOf = (value: unknown): string => JSON.stringify(value ?? null)

/** The text of a stored entry; undefined when it was written with another stamp. */
export function unpackText(stored: string | null | undefined, stamp: Stamp): string | undefined {
  const start = `${JSON.stringify(stamp)}\n`
  return stored?.startsWith(start) ? stored.slice(start.length) : undefined
}

/** The value of a stored entry; undefined when it was written with another stamp, or by something else than `pack`. */
export function unpack<T>(stored: string | null | undefined, stamp: Stamp): T | undefined {
  const text = unpackText(stored, stamp)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}
