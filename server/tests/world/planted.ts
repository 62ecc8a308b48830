import { vi } from 'vitest'

/**
 * A mistake that somebody could make, put in at the seam of a module: no switch of it is in the program. `where` from the server's root.
 * `seed`: of the first world that shows it.
 */
type Plant = { name: string; seed: number; where: string; change: (real: never) => object }
const plant = <M>(name: string, seed: number, where: string, change: (real: M) => Partial<Record<keyof M, unknown>>): Plant => ({
  name,
  seed,
  where,
  change: change as unknown as Plant['change'],
})

type Merge = typeof import('@markbook/sync/merge/merge')
type Conflict = typeof import('@markbook/sync/merge/conflict')
type Settle = typeof import('@markbook/sync/merge/settle')
type Stamp = typeof import('@markbook/sync/stamp')
type Feed = typeof import('../../store/replica/feed.ts')
type Apply = typeof import('../../store/replica/apply.ts')
type Refusals = typeof import('../../replication/issues/refusals.ts')
type Scope = typeof import('../../replication/scope/scope.ts')
type Cursor = typeof import('@markbook/sync/protocol/cursor')
type Incarnation = typeof import('../../replication/incarnation/incarnation.ts')
type Held = typeof import('../../store/replica/held.ts')
type Prune = typeof import('../../replication/upstream/prune.ts')
type Keys = typeof import('../../replication/identity/keys.ts')
type Checkpoints = typeof import('../../replication/incarnation/checkpoint.ts')
type Versions = typeof import('@markbook/sync/versions')
type RemoveDeleted = typeof import('../../store/replica/remove-deleted.ts')
type UniqueRules = typeof import('../../store/replica/unique-rules.ts')

export const plants: readonly Plant[] = [
  plant<Merge>('losers are dropped', 1, '@markbook/sync/merge/merge', ({ mergeRows }) => ({
    mergeRows: (...args: Parameters<Merge['mergeRows']>) => ({ ...mergeRows(...args), losers: [] }),
  })),
  plant<Merge>('the wall clock alone decides', 1, '@markbook/sync/merge/merge', ({ mergeRows }) => ({
    mergeRows: (...[table, shape, a, b]: Parameters<Merge['mergeRows']>) =>
      mergeRows(table, shape, { ...a, vv: { ...a.vv, ...b.vv } }, { ...b, vv: { ...b.vv, ...a.vv } }),
  })),
  plant<Merge>('a deletion is forgotten', 1, '@markbook/sync/merge/merge', ({ mergeRows }) => ({
    mergeRows: (...[table, shape, a, b]: Parameters<Merge['mergeRows']>) => {
      const { state, losers } = mergeRows(table, shape, a, b)
      return { state: state.alive.length === 0 ? { ...state, alive: a.alive } : state, losers }
    },
  })),
  plant<Merge>('half of the weights stands', 2, '@markbook/sync/merge/merge', ({ mergeRows }) => ({
    mergeRows: (...[table, shape, a, b]: Parameters<Merge['mergeRows']>) => {
      const merged = mergeRows(table, shape, a, b)
      if (table !== 'term') return merged
      return { ...merged, state: { ...merged.state, values: { ...merged.state.values, coursework_weight: a.values['coursework_weight'] } } }
    },
  })),
  plant<Settle>('what was sent is not locked', 8, '@markbook/sync/merge/settle', () => ({ settleBook: () => [] })),
  plant<Settle>('a code may be claimed twice', 7, '@markbook/sync/merge/settle', () => ({ settleUniqueClaims: () => new Map() })),
  plant<Conflict>('every conflict has another id on every node', 1, '@markbook/sync/merge/conflict', ({ conflictState }) => ({
    conflictState: (...args: Parameters<Conflict['conflictState']>) => {
      const state = conflictState(...args)
      return { ...state, values: { ...state.values, value: null } }
    },
  })),
  plant<Stamp>('a local write does not count as seen', 1, '@markbook/sync/stamp', ({ stamp }) => ({
    stamp: (...[previous, write]: Parameters<Stamp['stamp']>) => {
      const versions = stamp(previous, write)
      return previous ? { ...versions, vv: previous.vv } : versions
    },
  })),
  plant<Feed>('the last row of a page is left out', 1, '../../store/replica/feed.ts', ({ readFeed }) => ({
    readFeed: async (...args: Parameters<Feed['readFeed']>) => {
      const page = await readFeed(...args)
      return { ...page, rows: page.rows.slice(0, -1) }
    },
  })),
  plant<Feed>('what came from others is not sent on', 1, '../../store/replica/feed.ts', ({ readFeed }) => ({
    readFeed: async (...[tx, school, asked]: Parameters<Feed['readFeed']>) => {
      const page = await readFeed(tx, school, asked)
      const known = await tx.dialect.feedEntries(tx.connection, school, {
        after: asked.after,
        upTo: Number.MAX_SAFE_INTEGER,
        limit: 10_000,
      })
      const foreign = new Set(known.filter(({ source_id }) => source_id !== null).map(({ row_id }) => row_id))
      return { ...page, rows: page.rows.filter(({ state }) => !foreign.has(state.id)) }
    },
  })),
  plant<Apply>('the place is saved before the rows', 1, '../../store/replica/apply.ts', ({ applyStates }) => ({
    applyStates: (...[tx, school, rows, how]: Parameters<Apply['applyStates']>) => {
      // Every so often the rows are lost between the two.
      lost += 1
      return applyStates(tx, school, how.source !== null && lost % 17 === 0 ? [] : rows, how)
    },
  })),
  plant<Refusals>('a refused write is kept', 1, '../../replication/issues/refusals.ts', () => ({ takeRefusals: async () => {} })),
  plant<Scope>('one table is sent to everybody', 1, '../../replication/scope/scope.ts', ({ within, scopeOf }) => ({
    scopeOf,
    within: async (...args: Parameters<Scope['within']>) => {
      const kept = await within(...args)
      return [...kept, ...args[3].filter((row) => row.table === 'report_book' && !kept.includes(row))]
    },
  })),
  plant<Cursor>('the epoch of a place is not looked at', 1, '@markbook/sync/protocol/cursor', ({ textToCursor }) => ({
    textToCursor: (text: string | null) => {
      const cursor = textToCursor(text)
      if (cursor) epoch ??= cursor.epoch
      return cursor && { ...cursor, epoch: epoch ?? cursor.epoch }
    },
  })),
  plant<Incarnation>('a restored database goes on as it was', 3, '../../replication/incarnation/incarnation.ts', ({ beginAnew }) => ({
    beginAnew: async (...[services, peer, line]: Parameters<Incarnation['beginAnew']>) => {
      const { store } = services
      await beginAnew({ ...services, store: Object.assign(Object.create(store), { write: async () => undefined }) }, peer, line)
    },
  })),
  plant<Checkpoints>(
    'a database that was put back goes on under its number',
    1,
    '../../replication/incarnation/checkpoint.ts',
    ({ withCheckpoint }) => ({
      withCheckpoint,
      divergenceOf: async () => null,
    }),
  ),
  plant<Held>('what is held is never tried again', 3, '../../store/replica/held.ts', () => ({ heldRows: async () => [] })),
  plant<Feed>('a copy leaves out the last row of each page', 1, '../../store/replica/feed.ts', ({ readCopy }) => ({
    readCopy: async (...args: Parameters<Feed['readCopy']>) => {
      const page = await readCopy(...args)
      return { ...page, rows: page.rows.slice(0, -1) }
    },
  })),
  plant<Refusals>('what was refused is not kept', 1, '../../replication/issues/refusals.ts', () => ({ keepRefused: async () => {} })),
  plant<Prune>('rows stay when the right to them goes', 4, '../../replication/upstream/prune.ts', () => ({ prune: async () => [] })),
  plant<Settle>('two terms may have one name', 9, '@markbook/sync/merge/settle', () => ({ settleTerms: () => new Map() })),
  plant<Versions>('what was seen is one too many', 5, '@markbook/sync/versions', () => ({
    covers: (...[seen, [node, counter]]: Parameters<Versions['covers']>) => (seen[node] ?? 0) >= counter - 1,
  })),
  plant<RemoveDeleted>('a parent stays when its last child has gone', 1, '../../store/replica/remove-deleted.ts', () => ({
    removeDeleted: async () => {},
  })),
  plant<UniqueRules>('a code is not free before its row is gone', 53, '../../store/replica/unique-rules.ts', () => ({
    freeUniqueTexts: async () => {},
    park: async () => {},
  })),
  plant<Keys>('whatever comes as a reply is believed', 2, '../../replication/identity/keys.ts', () => ({ isReplyOf: () => true })),
]
let lost = 0
let epoch: string | undefined

/** The world over a program with this mistake in it. */
export async function worldWith({ where, change }: Plant): Promise<typeof import('./run.ts')> {
  vi.resetModules()
  vi.doMock(where, async (importActual) => {
    const real = await importActual<object>()
    return { ...real, ...change(real as never) }
  })
  const run = await import('./run.ts')
  vi.doUnmock(where)
  return run
}
