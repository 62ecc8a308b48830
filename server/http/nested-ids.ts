import { Id } from '@markbook/shared/contract/scalars'
import { z } from 'zod'

type Path = readonly string[]
/** In a path: all items of a list. */
const EACH = '*'

/** The paths of a schema's ids below its top level: in lists, and in objects of lists. */
export const nestedIdPaths = (schema: unknown): Path[] => idPaths(schema).filter((path) => path.length > 1)

function idPaths(schema: unknown, path: Path = []): Path[] {
  if (schema === Id) return [path]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return idPaths(schema.unwrap(), path)
  if (schema instanceof z.ZodArray) return idPaths(schema.element, [...path, EACH])
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape).flatMap(([name, field]) => idPaths(field, [...path, name]))
  return []
}

/** The values of a body at these paths, by path in the form of issues. Absent values, and paths through other types, are left to the schema. */
export const idsAt = (paths: readonly Path[], body: unknown): Record<string, unknown> =>
  Object.fromEntries(paths.flatMap((path) => found(path, body, [])))

function found([step, ...rest]: Path, value: unknown, at: Path): [path: string, value: unknown][] {
  if (step === undefined) return [[at.join('.'), value]]
  if (step === EACH) return Array.isArray(value) ? value.flatMap((item, index) => found(rest, item, [...at, String(index)])) : []
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return []
  return found(rest, (value as Record<string, unknown>)[step], [...at, step])
}
