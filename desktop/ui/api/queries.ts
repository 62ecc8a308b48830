import { bodyOf, type Call, type RawInput, type RawReply } from '@markbook/shared/contract/client'
import type { Contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { Failure } from '@markbook/shared/failures'
import { QueryClient, type QueryKey, queryOptions, useMutation } from '@tanstack/react-query'
import { client } from './client.ts'
import { changeSeen, isAway, isProfileOld, notShown, oldRequests, orLastSeen } from './last-seen.ts'

export type ResourceName = keyof Contract
const PAGE = 500
const MOST_ROWS = 20_000

type Keys<R extends ResourceName> = keyof Contract[R] & string
type CallOf<R extends ResourceName, K extends Keys<R>> = Contract[R][K] extends Endpoint ? Call<Contract[R][K]> : never
export type RequestOf<R extends ResourceName, K extends Keys<R>> = Parameters<CallOf<R, K>>
export type ReplyOf<R extends ResourceName, K extends Keys<R>> = Awaited<ReturnType<CallOf<R, K>>>

const callOf = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K) =>
  (client as never as Record<R, Record<K, (...request: RequestOf<R, K>) => Promise<ReplyOf<R, K>>>>)[resource][key]

/**
 * A query of the contract: `useQuery(ask('terms', 'list', { query: { yearId } }))`. Its key is resource, endpoint and request; a save of
 * its resource makes it read again.
 */
export const ask = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K, ...request: RequestOf<R, K>) =>
  read([resource, key, ...request] as const, () => callOf(resource, key)(...request))

/** A whole list, read page by page up to `X-Total-Count`, with at most 20,000 rows. */
export const askWhole = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K, ...request: RequestOf<R, K>) =>
  read([resource, key, 'whole', ...request] as const, () => whole(resource, key, ...request))

const read = <Key extends readonly [string, string, ...unknown[]], Reply>(queryKey: Key, call: () => Promise<Reply>) =>
  queryOptions({
    queryKey,
    queryFn: () => {
      const updates = queryClient.getQueryState(queryKey)?.dataUpdateCount ?? 0
      // Unless the query was read again since.
      return orLastSeen(queryKey, call, (reply) => {
        const state = queryClient.getQueryState(queryKey)
        if (state && !state.isInvalidated && state.dataUpdateCount <= updates + 1) queryClient.setQueryData(queryKey as QueryKey, reply)
      })
    },
  })

function whole<R extends ResourceName, K extends Keys<R>>(resource: R, key: K, ...[request]: RequestOf<R, K>): Promise<ReplyOf<R, K>> {
  const { raw } = callOf(resource, key) as unknown as { raw: (request: RawInput) => Promise<RawReply> }
  const first = (request ?? {}) as RawInput
  const collect = async () => {
    const rows: unknown[] = []
    for (let offset = 0; offset < MOST_ROWS; offset += PAGE) {
      const reply = await raw({ ...first, query: { ...first.query, limit: PAGE, offset } })
      rows.push(...(bodyOf(reply) as unknown[]))
      if (rows.length >= Number(reply.headers.get('x-total-count'))) break
    }
    return rows
  }
  return collect() as Promise<ReplyOf<R, K>>
}

/**
 * Writes with an endpoint: `await save('terms', 'update', { params, body }, ['reports'])`. Then the queries of its resource, of `concerns`,
 * and of history, bin and results are read again.
 */
export async function save<R extends ResourceName, K extends Keys<R>>(
  resource: R,
  key: K,
  request: RequestOf<R, K>[0],
  concerns: readonly ResourceName[] = [],
): Promise<ReplyOf<R, K>> {
  const reply = await callOf(resource, key)(...([request] as RequestOf<R, K>))
  await refresh([resource, 'calculations', 'history', 'bin', ...concerns])
  return reply
}

/** The same as a mutation, for a page that shows its state or reply: `useSave('terms', 'update').mutate({ params, body })`. */
export const useSave = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K, concerns?: readonly ResourceName[]) =>
  useMutation<ReplyOf<R, K>, Failure, RequestOf<R, K>[0]>({ mutationFn: (request) => save(resource, key, request, concerns) })

/**
 * Puts what was saved into the replies of an endpoint that pages show, and into those stored for when the server is away. `concerns`
 * selects by request.
 */
export function changeReplies<R extends ResourceName, K extends Keys<R>>(
  resource: R,
  key: K,
  change: (reply: ReplyOf<R, K>) => ReplyOf<R, K>,
  concerns: (queryKey: QueryKey) => boolean = () => true,
): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: [resource, key] })) {
    if (!concerns(queryKey)) continue
    queryClient.setQueryData<ReplyOf<R, K>>(queryKey, (reply) => reply && change(reply))
    // A reply that is on its way may be older than what was saved.
    if (queryClient.getQueryState(queryKey)?.fetchStatus === 'fetching') void queryClient.refetchQueries({ queryKey, exact: true })
    changeSeen(queryKey as readonly [string, string, ...unknown[]], change)
  }
}

/** Reads the queries of these resources again: at once if they are shown, else when they are next shown. */
export const refresh = (resources: readonly ResourceName[]): Promise<unknown> =>
  Promise.all(resources.map((resource) => queryClient.invalidateQueries({ queryKey: [resource] })))

/** Reads the old replies that are shown again, to be called when the server may be back. */
export async function refetchStale(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['auth', 'me'] })
  if (isProfileOld()) return
  const read = async (queryKey: ReturnType<typeof oldRequests>[number]) => {
    const query = queryClient.getQueryCache().find({ queryKey, exact: true })
    // A query that no page shows is read when one does. The marks of a grid arrive by their stream.
    if (query && !query.isActive()) notShown(queryKey)
    await queryClient.invalidateQueries({ queryKey, exact: true })
  }
  await Promise.all(oldRequests().map(read))
}

/** Reads the queries again that failed because no server was reached; to be called when it is back. */
export const askUnansweredAgain = (): Promise<unknown> =>
  queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' && isAway(state.error) })

type ReplyName = { [R in ResourceName]: `${R} ${Keys<R>}` }[ResourceName]
/** The replies that count marks. */
const COUNTS: readonly ReplyName[] = [
  'classes progress',
  'teachingSets progress',
  'overview read',
  'overview reminders',
  'reports standing',
]
/** The replies that the daily work of other people changes, of pages that are open for long. */
const FOLLOWED: readonly ReplyName[] = [...COUNTS, 'reports list', 'reports entries', 'reports get', 'reports sent', 'schools joinRequests']
const isOneOf =
  (names: readonly ReplyName[]) =>
  ({ queryKey: [resource, key] }: { queryKey: QueryKey }) =>
    names.some((name) => name === `${resource} ${key}`)

/** Reads the replies again that count marks; to be called when marks have reached the server, from whichever page. */
export const refreshCounts = (): Promise<unknown> => queryClient.invalidateQueries({ predicate: isOneOf(COUNTS) })

/** How old such a reply may become while it is shown, in ms. */
const FOLLOW_AFTER = 50_000

/** Reads the shown replies again that the work of other people changes. To be called every few seconds while the window is visible. */
export const followOthers = (now: number): Promise<unknown> =>
  queryClient.refetchQueries(
    {
      type: 'active',
      stale: true,
      predicate: (query) =>
        isOneOf(FOLLOWED)(query) && now - Math.max(query.state.dataUpdatedAt, query.state.errorUpdatedAt) >= FOLLOW_AFTER,
    },
    { cancelRefetch: false },
  )

/**
 * A refusal is not retried. Other requests are retried three times. While the server is known to be away they are not, so that a page says
 * at once what it cannot show (`askUnansweredAgain` reads it later).
 */
const shouldRetry = (tries: number, error: unknown) => {
  const status = error instanceof Failure ? error.status : 500
  if (status === 0 && isProfileOld()) return false
  return tries < 3 && (status === 0 || status === 502 || status === 503)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: shouldRetry, networkMode: 'always' },
    // A write is sent once; the person who made it sees its failure.
    mutations: { retry: false, networkMode: 'always' },
  },
})
