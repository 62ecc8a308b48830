import { isId } from '@markbook/shared/ids'
import type { Ask } from '../../testing/ask.ts'

/** Where an id stands in a request. */
type IdLocation = { path: readonly string[]; id: string }

export function placesOf(asked: Ask): IdLocation[] {
  const found: IdLocation[] = []
  const walk = (value: unknown, path: readonly string[]) => {
    if (typeof value === 'string' && isId(value)) {
      found.push({ path, id: value })
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name])
    }
  }
  walk(asked, [])
  return found
}

/** The same request with another word in that place. */
export function withIdAt(asked: Ask, { path }: IdLocation, id: string): Ask {
  const copy = structuredClone(asked)
  let at = copy as Record<string, unknown>
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>
  at[path.at(-1) ?? ''] = id
  return copy
}
