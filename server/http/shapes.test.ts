import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { shapeOf } from './shapes.ts'

const FORMATS: Record<string, string> = {
  uuid: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  date: '2026-01-31',
  'date-time': '2026-01-31T08:00:00.000Z',
}

type Described = { type?: string; format?: string; enum?: unknown[]; const?: unknown }
function scalarOf(schema: z.ZodType): unknown {
  const { type, format, enum: values, const: only } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Described
  if (only !== undefined) return only
  if (values) return values[0]
  if (format) return FORMATS[format] ?? 7
  return { number: 7, integer: 7, boolean: true }[type ?? ''] ?? 'text'
}

/** A value of a schema, with an additional column in every object. `isFull`: with all optional and nullable fields. */
function sampleOf(schema: z.ZodType, isFull: boolean): unknown {
  if (schema instanceof z.ZodNullable) return isFull ? sampleOf(schema.unwrap() as z.ZodType, isFull) : null
  if (schema instanceof z.ZodOptional) return isFull ? sampleOf(schema.unwrap() as z.ZodType, isFull) : undefined
  if (schema instanceof z.ZodArray)
    return isFull ? [sampleOf(schema.element as z.ZodType, true), sampleOf(schema.element as z.ZodType, false)] : []
  if (schema instanceof z.ZodUnion) return sampleOf(schema.options[isFull ? schema.options.length - 1 : 0] as z.ZodType, isFull)
  if (schema instanceof z.ZodRecord) return isFull ? { key: sampleOf(schema.valueType as z.ZodType, true) } : {}
  if (!(schema instanceof z.ZodObject)) return scalarOf(schema)
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).reverse()
  const sample = Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, isFull)]))
  return schema._zod.def.catchall ? sample : { secret_hash: 'not for clients', ...sample }
}

const replies = Object.entries(contract).flatMap(([resource, endpoints]) =>
  Object.entries(endpoints as Record<string, Endpoint>).flatMap(([name, { reply }]): [string, z.ZodType][] =>
    typeof reply === 'string' ? [] : [[`${resource}.${name}`, reply]],
  ),
)

describe('a shaped reply equals the reply parsed by the contract', () => {
  test.each(replies)('%s', (_name, reply) => {
    for (const sample of [sampleOf(reply, true), sampleOf(reply, false)]) {
      const text = JSON.stringify(shapeOf(reply)(sample))
      expect(text).toBe(JSON.stringify(reply.parse(sample)))
      expect(text).not.toContain('secret_hash')
    }
  })

  test('a missing column that the contract requires is a fault of the server', () => {
    expect(() => shapeOf(z.object({ name: z.string() }))({ title: 'Class 3B' })).toThrow('a reply lacks name')
  })

  test('a part that transforms its value is parsed', () => {
    const schema = z.object({ score: z.number().overwrite((value) => value + 1), when: z.string().transform((text) => text.length) })
    expect(shapeOf(schema)({ score: 1, when: 'abc', more: 1 })).toEqual({ score: 2, when: 3 })
  })
})
