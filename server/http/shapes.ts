import { z } from 'zod'

/** Takes out of a value what a schema of a reply names, in the schema's order. */
export type Shape = (value: unknown) => unknown

const same: Shape = (value) => value
const known = new WeakMap<z.ZodType, Shape>()

/**
 * No column leaves that the contract does not name: what a schema would keep is copied, and nothing else. That each value is as the
 * schema wants it is what the tests check, of every reply they get; asking it of every mark of every reply took half of the time that a
 * list took. A part that changes what it reads, or of a kind that is not known here, is parsed.
 */
export function shapeOf(schema: z.ZodType): Shape {
  const found = known.get(schema) ?? build(schema)
  known.set(schema, found)
  return found
}

function build(schema: z.ZodType): Shape {
  if (schema instanceof z.ZodObject) return ofObject(schema)
  if (schema instanceof z.ZodArray) return ofArray(shapeOf(schema.element as z.ZodType))
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return ofMaybe(shapeOf(schema.unwrap() as z.ZodType))
  return isPlain(schema) ? same : (value) => schema.parse(value)
}

const SCALARS = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral, z.ZodUnknown]

/** A value that parsing would answer as it is. */
const isPlain = (schema: z.ZodType): boolean =>
  SCALARS.some((kind) => schema instanceof kind) &&
  !(schema._zod.def.checks ?? []).some(({ _zod }) => _zod.def.check === 'overwrite') &&
  !('coerce' in schema._zod.def && schema._zod.def.coerce)

function ofArray(element: Shape): Shape {
  return element === same ? same : (value) => (value as readonly unknown[]).map(element)
}

const ofMaybe = (inner: Shape): Shape => (inner === same ? same : (value) => (value === null || value === undefined ? value : inner(value)))

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
      } else kept[name] = shape === same ? field : shape(field)
    }
    return kept
  }
}
