import { Column, is, noopDecoder, noopEncoder, Param, Placeholder } from 'drizzle-orm'

type Decode = (value: never) => unknown
type Encode = (value: unknown) => unknown
type Field = { path: readonly string[]; field: unknown }
/** The internals of a query prepared by Drizzle: the same fields in both dialects, under two names. */
type Built = {
  query?: { sql: string; params: readonly unknown[] }
  queryString?: string
  params?: readonly unknown[]
  fields?: readonly Field[]
  customResultMapper?: unknown
}

/** A query as text, with functions that turn named values into its parameters and the driver's arrays into rows. */
export type Compiled = {
  text: string
  bind(values: Record<string, unknown>): unknown[]
  rowOf(raw: readonly unknown[]): Record<string, unknown>
}

/**
 * Takes the text and the columns out of a query that Drizzle has built, so that it runs without Drizzle. Drizzle looks up the type of
 * every column for every row, which for a class of forty takes longer than the database. Returns undefined for a query with nested rows,
 * which stays with Drizzle.
 *
 * `inlined`: constants are written into the text. SQLite replans a statement at each run where a parameter is compared with a column in
 * the condition of a partial index.
 */
export function compiled(prepared: unknown, { inlined }: { inlined: boolean }): Compiled | undefined {
  const { query, queryString, params, fields, customResultMapper } = prepared as Built
  // In the Postgres dialect `query` has the text as built, before the lock clause was appended.
  const [text, bound] = [queryString ?? query?.sql, params ?? query?.params]
  // A statement that only writes has neither rows nor fields.
  const names = fields ?? []
  if (!text || !bound || customResultMapper || names.some(({ path }) => path.length !== 1)) return undefined
  const known = inlined ? inlineConstants(text, bound) : { text, params: bound }
  return { text: known.text, bind: binderOf(known.params), rowOf: mapperOf(names) }
}

function binderOf(params: readonly unknown[]): Compiled['bind'] {
  const plan = params.map((param) => sourceOf(param))
  return (values) =>
    plan.map(({ name, encode, constant }) => {
      if (name === undefined) return constant
      if (!(name in values)) throw new Error(`no value was given for ${name}`)
      return encode ? encode(values[name]) : values[name]
    })
}

type Source = { name?: string; encode?: Encode | undefined; constant?: unknown }

function sourceOf(param: unknown): Source {
  if (is(param, Placeholder)) return { name: param.name }
  if (!is(param, Param) || !is(param.value, Placeholder)) return { constant: param }
  const { encoder, value } = param
  const isPlain =
    encoder.mapToDriverValue === noopEncoder.mapToDriverValue || encoder.mapToDriverValue === Column.prototype.mapToDriverValue
  return { name: value.name, encode: isPlain ? undefined : (plain) => encoder.mapToDriverValue(plain) }
}

function mapperOf(fields: readonly Field[]): Compiled['rowOf'] {
  const names = fields.map(({ path }) => path[0] as string)
  const decodes = fields.map(({ field }) => decodeOf(field))
  const count = names.length
  return (raw) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < count; at += 1) {
      const value = raw[at]
      const decode = decodes[at]
      row[names[at] as string] = value === null || decode === undefined ? value : decode(value as never)
    }
    return row
  }
}

type Decoder = { mapFromDriverValue: Decode }
type Selected = { decoder?: Decoder; sql?: { decoder: Decoder }; _?: { sql: { decoder: Decoder } } }

/** Undefined where the driver's value needs no conversion. */
function decodeOf(field: unknown): Decode | undefined {
  const { decoder, sql, _ } = field as Selected
  const found = is(field, Column) ? (field as unknown as Decoder) : (decoder ?? sql?.decoder ?? _?.sql.decoder)
  if (!found) throw new Error('a selected column has no decoder')
  const { mapFromDriverValue } = found
  if (mapFromDriverValue === noopDecoder.mapFromDriverValue || mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined
  return (value) => found.mapFromDriverValue(value)
}

const QUOTED_OR_MARK = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g

/** The text of a SQLite query with every parameter that is not a placeholder written as a literal. */
function inlineConstants(text: string, params: readonly unknown[]): { text: string; params: unknown[] } {
  const left: unknown[] = []
  let at = 0
  const written = text.replace(QUOTED_OR_MARK, (found) => {
    if (found !== '?') return found
    const param = params[at]
    at += 1
    const literal = literalOf(param)
    if (literal === undefined) left.push(param)
    return literal ?? '?'
  })
  return { text: written, params: left }
}

function literalOf(param: unknown): string | undefined {
  if (param === null) return 'null'
  if (typeof param === 'string') return `'${param.replaceAll("'", "''")}'`
  return typeof param === 'number' && Number.isSafeInteger(param) ? String(param) : undefined
}
