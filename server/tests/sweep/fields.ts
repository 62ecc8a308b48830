import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { z } from 'zod'

type Json = {
  type?: string | string[]
  anyOf?: Json[]
  properties?: Record<string, Json>
  required?: string[]
  items?: Json
  format?: string
  enum?: unknown[]
  pattern?: string
  maxLength?: number
}
/** One field of a body. `isText`: any line may stand there; `maxLength` in code points where the schema says one. */
export type Field = {
  path: readonly string[]
  types: readonly string[]
  isRequired: boolean
  isText: boolean
  maxLength: number | undefined
}

/** Every field of an endpoint's JSON body, those of objects in lists included (of the first in the list). */
export function fieldsOf({ body }: Endpoint): Field[] {
  if (!body || body === 'multipart') return []
  return fieldsIn(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Json, [])
}

const fieldsIn = ({ properties = {}, required = [] }: Json, path: readonly string[]): Field[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const kinds = schema.anyOf ?? [schema]
    const types = kinds.flatMap(({ type = [] }) => type)
    const text = kinds.find(({ type }) => [type].flat().includes('string'))
    const own = {
      path: [...path, name],
      types,
      isRequired: required.includes(name),
      isText: text !== undefined && !text.format && !text.enum && !text.pattern,
      maxLength: text?.maxLength,
    }
    const inner = schema.items?.properties ? fieldsIn(schema.items, [...own.path, '0']) : []
    return [own, ...inner]
  })

type Tree = Record<string, unknown>
const at = (body: Tree, path: readonly string[]): Tree => path.reduce((tree, name) => tree[name] as Tree, body)

/** The body with another value there; undefined takes the field away. */
export function withField(body: unknown, path: readonly string[], value: unknown): Tree {
  const copy = structuredClone(body ?? {}) as Tree
  const name = path.at(-1) ?? ''
  const parent = at(copy, path.slice(0, -1))
  if (value === undefined) delete parent[name]
  else parent[name] = value
  return copy
}

/** One value of each kind of JSON that the field does not take; a number as text is not a number. */
export const wrongTypes = ({ types }: Field): unknown[] => {
  const values: Record<string, unknown> = { boolean: true, string: '15', object: { a: 1 }, array: [1], null: null, number: 7 }
  const taken = types.map((type) => (type === 'integer' ? 'number' : type))
  return Object.entries(values)
    .filter(([type]) => !taken.includes(type))
    .map(([, value]) => value)
}
