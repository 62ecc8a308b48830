import { toInstant } from '@markbook/shared/clock'
import { isId } from '@markbook/shared/ids'
import { limits } from '@markbook/shared/limits'
import type { AnyRow, ShapeColumn } from './shape-tables.ts'

/** Three-valued as in SQL: null where a value is absent. Only rows with true belong to the shape. */
type Verdict = boolean | null
/** `columns`: the columns that the condition reads. */
export type Condition = { holds: (row: AnyRow) => Verdict; columns: ReadonlySet<string> }
type Part = (row: AnyRow) => Verdict
type Value = string | number | boolean | null

/** A fault in a condition, described for its author. */
export class WhereFault extends Error {}
const fault = (message: string): never => {
  throw new WhereFault(message)
}

/**
 * Parses the conditions of shapes (docs/design/shapes.md): comparisons of a column with a literal or a parameter, IN, IS NULL, AND, OR,
 * NOT and parentheses. It is evaluated here and never becomes SQL. Throws `WhereFault`.
 */
export function readWhere(
  text: string,
  params: Readonly<Record<string, string>>,
  columns: Readonly<Record<string, ShapeColumn>>,
): Condition {
  if (text.length > limits.shapes.whereLength) fault(`must have at most ${limits.shapes.whereLength} characters`)
  const tokens = tokensOf(text) ?? fault('cannot be read')
  return new Reader(tokens, params, columns).whole()
}

class Reader {
  #at = 0
  #depth = 0
  readonly #named = new Set<string>()

  constructor(
    private readonly tokens: readonly Token[],
    private readonly params: Readonly<Record<string, string>>,
    private readonly columns: Readonly<Record<string, ShapeColumn>>,
  ) {}

  whole(): Condition {
    const holds = this.#either()
    if (this.#at < this.tokens.length) fault(`ends before "${this.tokens[this.#at]?.text}"`)
    return { holds, columns: this.#named }
  }

  #either(): Part {
    const parts = [this.#both()]
    while (this.#takes('or')) parts.push(this.#both())
    return parts.length === 1 ? (parts[0] as Part) : (row) => anyOf(parts, row)
  }

  #both(): Part {
    const parts = [this.#one()]
    while (this.#takes('and')) parts.push(this.#one())
    return parts.length === 1 ? (parts[0] as Part) : (row) => opposite(anyOf(parts, row, opposite))
  }

  #one(): Part {
    this.#depth += 1
    if (this.#depth > limits.shapes.whereDepth) fault('has too many brackets')
    const condition = this.#negated() ?? this.#bracket() ?? this.#constant() ?? this.#comparison()
    this.#depth -= 1
    return condition
  }

  #negated(): Part | null {
    if (!this.#takes('not')) return null
    const inner = this.#one()
    return (row) => opposite(inner(row))
  }

  #bracket(): Part | null {
    if (!this.#takes('(')) return null
    const inner = this.#either()
    this.#needs(')')
    return inner
  }

  #constant(): Part | null {
    if (this.#takes('true')) return () => true
    return this.#takes('false') ? () => false : null
  }

  #comparison(): Part {
    const { name, type } = this.#column()
    if (this.#takes('is')) {
      const isNot = this.#takes('not')
      this.#needs('null')
      return (row) => (row[name] === null || row[name] === undefined) !== isNot
    }
    if (type === 'jsonb') fault(`can only ask whether ${name} is null`)
    const isNot = this.#takes('not')
    if (this.#takes('in')) return this.#amongst(name, type, isNot)
    if (isNot) fault('has NOT in a place where it means nothing')
    const sign = this.tokens[this.#at]
    const compare = sign?.kind === 'sign' ? COMPARISONS[sign.text] : undefined
    if (!compare) return type === 'bool' ? (row) => (row[name] as boolean | null) ?? null : fault(`does not compare ${name} with anything`)
    this.#at += 1
    const value = this.#value(type)
    return (row) => compared(row[name] as Value, value, compare)
  }

  #amongst(name: string, type: string, isNot: boolean): Part {
    this.#needs('(')
    const values = [this.#value(type)]
    while (this.#takes(',')) values.push(this.#value(type))
    this.#needs(')')
    const parts = values.map(
      (value): Part =>
        (row) =>
          compared(row[name] as Value, value, (order) => order === 0),
    )
    return (row) => (isNot ? opposite(anyOf(parts, row)) : anyOf(parts, row))
  }

  #column(): { name: string; type: string } {
    const token = this.tokens[this.#at++]
    if (token?.kind !== 'name' && token?.kind !== 'word') return fault('has something else where a column should be')
    const column = Object.hasOwn(this.columns, token.text) ? this.columns[token.text] : undefined
    this.#named.add(token.text)
    return column ? { name: token.text, type: column.type } : fault(`names the column ${token.text}, which this table does not have`)
  }

  #value(type: string): Value {
    const token = this.tokens[this.#at++]
    if (!token || token.kind === 'sign' || token.kind === 'name') return fault('has no value where one should be')
    // A type cast behind a value is ignored, since the column has the type.
    if (this.#takes('::')) this.#at += 1
    if (token.kind === 'word') {
      if (token.text === 'null') return null
      if (!Object.hasOwn(FLAGS, token.text)) fault(`compares a column with ${token.text}, which is no value`)
    }
    const text = token.kind === 'param' ? this.#param(token.text) : token.text
    return literalOf(text, type)
  }

  #param(number: string): string {
    return Object.hasOwn(this.params, number)
      ? (this.params[number] as string)
      : fault(`names the parameter $${number}, which was not sent`)
  }

  #takes(text: string): boolean {
    const token = this.tokens[this.#at]
    if (token?.text !== text || (token.kind !== 'word' && token.kind !== 'sign')) return false
    this.#at += 1
    return true
  }

  #needs(text: string): void {
    if (!this.#takes(text)) fault(`misses "${text}"`)
  }
}

const opposite = (verdict: Verdict): Verdict => (verdict === null ? null : !verdict)

/** True where any part is true, else null where any is null, else false. */
function anyOf(parts: readonly Part[], row: AnyRow, read = (verdict: Verdict) => verdict): Verdict {
  let found: Verdict = false
  for (const part of parts) {
    const verdict = read(part(row))
    if (verdict === true) return true
    if (verdict === null) found = null
  }
  return found
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function compared(a: Value | undefined, b: Value, compare: (order: number) => boolean): Verdict {
  if (a === null || a === undefined || b === null) return null
  if (typeof a === 'string' && typeof b === 'string') return compare(Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return compare(Number(a) - Number(b))
}

const DAY = /^\d{4}-\d\d-\d\d$/
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/
const FLAGS: Readonly<Record<string, boolean>> = { true: true, t: true, false: false, f: false }

/** The text of a literal or parameter as a value of the column's type. */
function literalOf(text: string, type: string): Value {
  switch (type) {
    case 'bool':
      return FLAGS[text.toLowerCase()] ?? fault(`compares a flag with ${text}`)
    case 'int4':
    case 'int8':
    case 'float8':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : fault(`compares a number with ${text}`)
    case 'uuid':
      return isId(text.toLowerCase()) ? text.toLowerCase() : fault(`compares an id with ${text}`)
    case 'date':
      return DAY.test(text) ? text : fault(`compares a day with ${text}`)
    case 'timestamptz': {
      const ms = INSTANT.test(text) || DAY.test(text) ? Date.parse(text) : Number.NaN
      return Number.isNaN(ms) ? fault(`compares an instant with ${text}`) : toInstant(ms)
    }
    default:
      return text
  }
}
type Token = { readonly kind: 'name' | 'word' | 'text' | 'number' | 'param' | 'sign'; readonly text: string }

const TOKEN = /\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|\$(\d{1,3})|(-?\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(<>|!=|<=|>=|::|[=<>(),]))/y

/** The tokens of a condition; null where a character belongs to none. */
function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = []
  const scan = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (scan.lastIndex < end) {
    const match = scan.exec(text)
    if (!match) return null
    tokens.push(tokenOf(match))
  }
  return tokens
}

function tokenOf([, quoted, literal, param, number, word, sign]: RegExpExecArray): Token {
  if (quoted !== undefined) return { kind: 'name', text: quoted.replaceAll('""', '"') }
  if (literal !== undefined) return { kind: 'text', text: literal.replaceAll("''", "'") }
  if (param !== undefined) return { kind: 'param', text: param }
  if (number !== undefined) return { kind: 'number', text: number }
  return word === undefined ? { kind: 'sign', text: sign ?? '' } : { kind: 'word', text: word.toLowerCase() }
}
