import type { Columns } from './columns.sqlite.ts'
import { defineTables, type Replicated } from './tables.ts'

export type Kind = 'uuid' | 'text' | 'choice' | 'flag' | 'int' | 'bigint' | 'decimal' | 'day' | 'instant' | 'json'

/** A column, as far as its kind goes. */
class Word {
  constructor(readonly kind: Kind) {}
  notNull = () => this
  default = () => this
}

const word = (kind: Kind) => () => new Word(kind)
const words = {
  table: (_place: string, _name: string, columns: Readonly<Record<string, Word>>) =>
    Object.fromEntries(Object.entries(columns).map(([name, { kind }]) => [name, kind])),
  ofSchool: (place: string, name: string, columns: Readonly<Record<string, Word>>) =>
    words.table(place, name, { id: new Word('uuid'), school_id: new Word('uuid'), ...columns }),
  uuid: word('uuid'),
  text: word('text'),
  choice: word('choice'),
  flag: word('flag'),
  int: word('int'),
  bigint: word('bigint'),
  decimal: word('decimal'),
  day: word('day'),
  instant: word('instant'),
  json: word('json'),
  changes: word('json'),
}

/** Of every replicated table: what kind of value each column holds, read from the same words as the tables of both databases. */
export const kindsOf = defineTables(words as unknown as Columns) as unknown as Record<Replicated, Readonly<Record<string, Kind>>>
