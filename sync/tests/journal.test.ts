import { changesToText, textToChanges } from '@markbook/shared/tables/changes'
import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changesOf } from '../../server/store/row-changes.ts'
import { times } from '../../server/testing/long.ts'
import { detailOf, isWriteIn, type JournalEntry, leadsBackTo, parsedDetail, stampIn, verdictOfEntry } from '../journal.ts'
import { furthestOf, highsOf } from '../merge/policy.ts'
import { isSame, type RowState, type Values } from '../merge/state.ts'
import { LATEST_CLOCK, PENDING, stamp } from '../stamp.ts'
import { EXISTENCE, type Stamp, type Versions } from '../versions.ts'

const NODE = 'school'
const COUNTER = 9
const ID = '0190c8a0-0000-7000-8000-000000000001'
const SCHOOL = '0190c8a0-0000-7000-8000-000000000002'
const PEOPLE = ['mrs-byrne', 'mr-nolan', null] as const
const tables = Object.keys(descriptions) as Replicated[]

const unitsOf = (table: Replicated): string[] => [EXISTENCE, ...Object.keys(descriptions[table].units)]
const columnsOf = (table: Replicated, unit: string): readonly string[] =>
  unit === EXISTENCE ? descriptions[table].identity : (descriptions[table].units[unit] ?? [])
const isSealed = (table: Replicated, column: string) => descriptions[table].sealed?.includes(column) ?? false
const hasSealed = (table: Replicated, unit: string) => columnsOf(table, unit).some((column) => isSealed(table, column))

/**
 * A write as it happens. `columns`: a bit for each column that it changes, of the units and, where the row is made, of the identity;
 * `touched`: a bit for each unit that it writes without another value. `before`: what stood of the row; `ahead`: by how much the clocks of
 * its units are later than that of the writer, ms.
 */
type Write = {
  table: Replicated
  action: JournalEntry['action']
  before: 'nothing' | 'there' | 'deleted' | 'staying'
  columns: number
  touched: number
  at: number
  ahead: number
  actor: number
  values: readonly unknown[]
}

const value = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer({ min: -3, max: 100_000 }),
  fc.double({ min: 0, max: 100, noNaN: true }),
  fc.string({ maxLength: 4 }),
  fc.constantFrom('2026-01-12T08:00:00.000Z', '2026-01-12T09:00:00.000Z', 'mrs-byrne', 'Zoë', 'a\n"b"', '{}'),
  fc.jsonValue({ maxDepth: 2 }),
)
const clock = fc.oneof(
  fc.constantFrom(0, Date.parse('2026-01-12T08:00:00.000Z'), LATEST_CLOCK, LATEST_CLOCK + 5_000),
  fc.integer({ min: 0, max: Date.parse('2040-01-01T00:00:00.000Z') }),
)
const anyWrite: fc.Arbitrary<Write> = fc
  .record({
    table: fc.constantFrom(...tables),
    kind: fc.constantFrom(
      ['create', 'nothing'] as const,
      ['create', 'deleted'] as const,
      ['update', 'there'] as const,
      ['update', 'staying'] as const,
      ['delete', 'there'] as const,
      ['delete', 'staying'] as const,
    ),
    columns: fc.nat(2 ** 16 - 1),
    touched: fc.oneof(fc.constant(0), fc.nat(2 ** 8 - 1)),
    at: clock,
    ahead: fc.oneof(fc.constant(-3_600_000), fc.constantFrom(-1, 0, 1, 86_400_000), fc.integer({ min: -9_000_000, max: 9_000_000 })),
    actor: fc.nat(PEOPLE.length - 1),
    values: fc.array(value, { minLength: 40, maxLength: 40 }),
  })
  .map(({ kind: [action, before], ...rest }) => ({ ...rest, action, before }))

type Happened = { table: Replicated; state: RowState; told: JournalEntry; written: readonly string[] }

/** Lets it happen as the change tracker of the store does (server/store/change-tracker.ts), to the text of the entry and back. */
function happen({ table, action, before, columns, touched, at, ahead, actor, values }: Write): Happened {
  const all = [...new Set(unitsOf(table).flatMap((unit) => columnsOf(table, unit)))]
  const rowOf = (shift: number): Values => ({
    ...Object.fromEntries(all.map((column, place) => [column, values[(place + shift) % values.length] ?? null])),
    id: ID,
    ...(all.includes('school_id') && { school_id: SCHOOL }),
    // Highest values are numbers.
    ...(all.includes('max_score') && { max_score: 10 + shift }),
  })
  const stood = before === 'nothing' ? null : rowOf(0)
  const wanted = rowOf(all.length)
  const isChanged = (column: string, place: number) =>
    (columns & (1 << (place % 16))) !== 0 && !descriptions[table].identity.includes(column)
  const row: Values =
    action === 'create' ? wanted : { ...stood, ...Object.fromEntries(all.filter(isChanged).map((column) => [column, wanted[column]])) }
  const changed = action === 'update' ? all.filter((column) => !isSame(row[column], stood?.[column])) : []
  const named = unitsOf(table).filter(
    (unit, place) =>
      unit !== EXISTENCE && (columnsOf(table, unit).some((column) => changed.includes(column)) || (touched & (1 << (place % 8))) !== 0),
  )
  const units = action === 'create' ? unitsOf(table) : action === 'delete' ? [EXISTENCE, ...named] : named
  const who = PEOPLE[actor] ?? null
  const write = { units, node: NODE, now: at, actor: who, deletes: action === 'delete' }
  const stamps = stamp(stood === null ? null : versionsBefore(table, before, at + ahead), {
    ...write,
    high: highsOf(table, row),
    furthest: furthestOf(table),
  })
  const change = { table, before: action === 'create' ? null : stood, after: action === 'delete' ? null : row }
  const changes = changesOf({ entryId: '', schoolId: SCHOOL, units: new Set(units), ...change } as Parameters<typeof changesOf>[0])
  const told = { table, action, actor_id: who, at, changes, row: action === 'delete' ? (stood as Values) : row, stamps: stamps.units }
  const detail = detailOf(told)
  const entry: JournalEntry = {
    entity: table,
    row_id: ID,
    action,
    actor_id: who,
    node_id: NODE,
    node_seq: COUNTER,
    at,
    changes: textToChanges(changesToText(changes)),
    detail: detail && parsedDetail(JSON.stringify(detail)),
  }
  return {
    table,
    state: {
      id: ID,
      schema: 1,
      ...numbered(stamps),
      // As a state travels.
      values: JSON.parse(JSON.stringify(told.row)) as Values,
      extra: null,
    },
    told: entry,
    written: Object.entries(stamps.units).flatMap(([unit, [, counter]]) => (counter === PENDING ? [unit] : [])),
  }
}

function versionsBefore(table: Replicated, before: Write['before'], hlc: number): Versions {
  const clock = Math.max(0, hlc)
  const units = Object.fromEntries(unitsOf(table).map((unit, place): [string, Stamp] => [unit, ['laptop', 3, clock + place, 'mr-nolan']]))
  return { vv: { laptop: 3 }, units, alive: before === 'there' ? [['laptop', 3]] : [] }
}

const numbered = ({ vv, units, alive }: Versions): Versions => ({
  vv: { ...vv, [NODE]: COUNTER },
  units: Object.fromEntries(
    Object.entries(units).map(([unit, [node, counter, ...rest]]) => [
      unit,
      [node, counter === PENDING ? COUNTER : counter, ...rest] as unknown as Stamp,
    ]),
  ),
  alive: alive.map(([node, counter]) => [node, counter === PENDING ? COUNTER : counter]),
})

/** The same claim with another stamp of a unit. */
const stamped = (state: RowState, unit: string, change: (own: Stamp) => Stamp): RowState => ({
  ...state,
  units: { ...state.units, [unit]: change(state.units[unit] as Stamp) },
})
/** What an entry does not show of a unit: the school, which is that of the entry, who made a row that was deleted and when, and secrets. */
const isShown = ({ table, told }: Happened, column: string) =>
  column !== 'school_id' && !isSealed(table, column) && !(told.action === 'delete' && (column === 'created_at' || column === 'created_by'))

const RUNS = times(1_200, 20_000)
const ofAnyWrite = (claim: (happened: Happened) => void) =>
  fc.assert(
    fc.property(anyWrite, (write) => claim(happen(write))),
    { numRuns: RUNS },
  )
const claims = (
  { table, told, state }: Happened,
  unit: string,
  given: Partial<{ state: RowState; told: JournalEntry; highest: number }> = {},
) => isWriteIn(table, given.told ?? told, { state: given.state ?? state, unit, highest: given.highest })
const said = (
  { table, told, state }: Happened,
  unit: string,
  given: Partial<{ state: RowState; told: JournalEntry }> = {},
  isWhole = true,
) => verdictOfEntry(table, given.told ?? told, { state: given.state ?? state, unit, highest: undefined }, isWhole)

describe('the entry of a write', () => {
  test('proves it, unit by unit, but for what is sealed', () => {
    ofAnyWrite((happened) => {
      for (const unit of happened.written) {
        if (!hasSealed(happened.table, unit)) expect(claims(happened, unit)).toBe(true)
        expect(said(happened, unit)).toBe('this')
      }
    })
  })

  test('proves no unit that was not written', () => {
    ofAnyWrite((happened) => {
      for (const unit of unitsOf(happened.table)) {
        if (happened.written.includes(unit)) continue
        expect(claims(happened, unit)).toBe(false)
        const [, , hlc, actor] = happened.state.units[happened.written[0] ?? unit] as Stamp
        const state = stamped(happened.state, unit, () => [NODE, COUNTER, hlc, actor])
        expect(claims(happened, unit, { state })).toBe(false)
        expect(said(happened, unit, { state })).toBe('other')
      }
    })
  })

  test('has no unit that its table has not, whatever it is called', () => {
    const write = { entity: 'grade', row_id: ID, action: 'create', actor_id: null, node_id: NODE, node_seq: COUNTER, at: 0 } as const
    const entry: JournalEntry = { ...write, changes: {}, detail: null }
    expect(stampIn('grade', entry, 'score')).toEqual([NODE, COUNTER, 0, null])
    for (const unit of ['room', 'constructor']) expect(stampIn('grade', entry, unit)).toBeNull()
  })

  test('proves no other value of any column', () => {
    ofAnyWrite((happened) => {
      for (const unit of happened.written)
        for (const column of columnsOf(happened.table, unit).filter((each) => each !== 'id' && isShown(happened, each)))
          for (const other of ['another', null, 0, { a: 1 }]) {
            const { state } = happened
            if (isSame(state.values[column], other)) continue
            const lie = { ...state, values: { ...state.values, [column]: other } }
            expect(claims(happened, unit, { state: lie })).toBe(false)
            expect(said(happened, unit, { state: lie })).toBe('other')
          }
    })
  })

  test.each<[string, (own: Stamp) => Stamp]>([
    ['author', ([node, counter, hlc, actor, ...high]) => [node, counter, hlc, actor === null ? 'mr-nolan' : null, ...high]],
    ['clock that is later', ([node, counter, hlc, ...rest]) => [node, counter, hlc + 1, ...rest]],
    ['clock that is earlier', ([node, counter, hlc, ...rest]) => [node, counter, hlc - 1, ...rest]],
  ])('proves no other %s', (_, change) => {
    ofAnyWrite((happened) => {
      for (const unit of happened.written) {
        const state = stamped(happened.state, unit, change)
        expect(claims(happened, unit, { state })).toBe(false)
        expect(said(happened, unit, { state })).toBe('other')
      }
    })
  })

  test('proves nothing of another node, transaction, row or table', () => {
    ofAnyWrite((happened) => {
      const { state, told, table } = happened
      const id = `${ID.slice(0, -1)}9`
      for (const unit of happened.written) {
        expect(claims(happened, unit, { state: stamped(state, unit, ([, ...rest]) => ['laptop', ...rest]) })).toBe(false)
        expect(claims(happened, unit, { state: stamped(state, unit, ([node, , ...rest]) => [node, COUNTER + 1, ...rest]) })).toBe(false)
        expect(claims(happened, unit, { state: { ...state, id } })).toBe(false)
        const other = tables.find((each) => each !== table) as Replicated
        expect(claims(happened, unit, { told: { ...told, entity: other } })).toBe(false)
      }
    })
  })

  test('proves a higher value than it had only where another write is known that had it', () => {
    ofAnyWrite((happened) => {
      for (const unit of happened.written.filter((each) => !hasSealed(happened.table, each))) {
        const high = ((happened.state.units[unit] as Stamp)[4] ?? 0) + 7
        const state = stamped(happened.state, unit, ([node, counter, hlc, actor]) => [node, counter, hlc, actor, high])
        expect(claims(happened, unit, { state })).toBe(false)
        expect(claims(happened, unit, { state, highest: high - 1 })).toBe(false)
        expect(claims(happened, unit, { state, highest: high })).toBe(true)
        expect(said(happened, unit, { state })).toBe('unsaid')
      }
    })
  })

  test('proves a deletion only where it deletes', () => {
    ofAnyWrite((happened) => {
      if (!happened.written.includes(EXISTENCE)) return
      const state = { ...happened.state, alive: [] }
      expect(claims(happened, EXISTENCE, { state })).toBe(happened.told.action === 'delete')
    })
  })
})

describe('an entry from before it told all that a write said', () => {
  test('contradicts nothing that was written', () => {
    ofAnyWrite((happened) => {
      const told = { ...happened.told, detail: null }
      for (const unit of happened.written) expect(said(happened, unit, { told }, false)).not.toBe('other')
    })
  })

  test('contradicts another value of what it shows, another author, and a clock before its time', () => {
    ofAnyWrite((happened) => {
      const told = { ...happened.told, detail: null }
      const { state, written, table } = happened
      for (const unit of written.filter((each) => said(happened, each, { told }, false) === 'this')) {
        const changed = columnsOf(table, unit).filter((column) => column in told.changes && column !== 'id' && isShown(happened, column))
        for (const column of changed) {
          const lie = { ...state, values: { ...state.values, [column]: 'another' } }
          if (!isSame(state.values[column], 'another')) expect(said(happened, unit, { state: lie, told }, false)).toBe('other')
        }
        const author = stamped(state, unit, ([node, counter, hlc]) => [node, counter, hlc, 'somebody'])
        expect(said(happened, unit, { state: author, told }, false)).toBe('other')
        const early = stamped(state, unit, ([node, counter, hlc, ...rest]) => [node, counter, hlc - 1, ...rest])
        expect(said(happened, unit, { state: early, told }, false)).toBe('other')
      }
    })
  })
})

describe('from a write back to what its author had seen', () => {
  const score = (at: number, before: number | null, after: number, node = NODE): JournalEntry => ({
    entity: 'grade',
    row_id: ID,
    action: before === null ? 'create' : 'update',
    actor_id: 'mrs-byrne',
    node_id: node,
    node_seq: at,
    at,
    changes: { score: { before, after } },
    detail: null,
  })
  const leads = (all: readonly JournalEntry[], to: number) =>
    leadsBackTo('grade', all, all.at(-1) as JournalEntry, { unit: 'score', value: { score: to } })

  test('through values that came back, whichever of the writes is looked at first', () => {
    const past = [score(1, null, 53), score(2, 53, 39), score(3, 39, 84), score(4, 84, 53), score(5, 53, 46)]
    expect(leads(past, 39)).toBe(true)
    expect(leads([...past.slice(0, 4).reverse(), past[4] as JournalEntry], 39)).toBe(true)
    expect(leads(past, 40)).toBe(false)
  })

  test('not through a write that came later', () => {
    // The laptop wrote over the first 53; the school made it 39 and 53 again meanwhile.
    expect(leads([score(1, null, 53), score(2, 53, 39), score(9, 39, 53), score(5, 53, 46, 'laptop')], 39)).toBe(false)
  })

  test('not through entries that lead to each other', () => {
    expect(leads([score(3, 20, 10), score(4, 10, 20), score(5, 20, 46)], 39)).toBe(false)
  })

  test('through more writes than anybody counts', () => {
    const past = Array.from({ length: 500 }, (_, at) => score(at + 1, at === 0 ? null : at, at + 1))
    expect(leads(past, 1)).toBe(true)
  })
})
