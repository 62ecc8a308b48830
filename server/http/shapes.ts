import { z } from 'zod'

/** Copies from a value the fields that a reply schema names, in the schema's order. */
export type Shape = (value: unknown) => unknown

const identity: Shape = (value) => value
const cache = new WeakMap<z.ZodType, Shape>()

/**
 * Copies only the fields of the schema, so that no other column leaves. Values are not validated: that took half of the time of a list,
 * and the tests validate every reply. A part of a schema that transforms values, or of an unknown kind, is parsed.
 */
export function shapeOf(schema: z.ZodType): Shape {
  const found = cache.get(schema) ?? build(schema)
  cache.set(schema, found)
  return found
}

function build(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject) return ofObject(schema)
  if (schema instanceof z.ZodArray) return ofArray(shapeOf(schema.element as z.ZodType))
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return ofMaybe(shapeOf(schema.unwrap() as z.ZodType))
  return isPlain(schema) ? identity : (value) => schema.parse(value)
}

const SCALARS = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodUnknown]

/** Whether parsing returns the value unchanged. */
const isPlain = (schema: z.ZodType): boolean =>
  SCALARS.some((kind) => schema instanceof kind) &&
  !(schema._zod.def.checks ?? []).some(({ _zod }) => _zod.def.check === 'overwrite') &&
  !('coerce' in schema._zod.def && schema._zod.def.coerce)

function ofArray(element: Shape): Shape {
  return element === identity ? identity : (value) => (value as readonly unknown[]).map(element)
}

const ofMaybe = (inner: Shape): Shape =>
  inner === identity ? identity : (value) => (value === null || value === undefined ? value : inner(value))

function ofObject(schema: z.ZodObject): Shape {
  if (schema._zod.def.catchall) return (value) => schema.parse(value)
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    shape: shapeOf(field),
    mayBeAbsent: field.isOptional(),
  }))
  return (value) => {
    const row = value as Record<string, unknown>
    const kept: Record<string, unknown> = {}
    for (const { name, shape, mayBeAbsent } of fields) {
      const field = row[name]
      if (field === undefined) {
        if (!mayBeAbsent) throw new Error(`a reply lacks ${name}`)
      } else kept[name] = shape === identity ? field : shape(field)
    }
    return kept
  }
}
