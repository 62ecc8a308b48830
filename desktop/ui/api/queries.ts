import { type Call, failureOf, type RawAsked, type RawReply } from '@markbook/shared/contract/client'
import type { Contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import { Failure } from '@markbook/shared/failures'
import { QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'

export type ResourceName = keyof Contract
const PAGE = 500
const MOST_ROWS = 20_000

type Keys<R extends ResourceName> = keyof Contract[R] & string
type CallOf<R extends ResourceName, K extends Keys<R>> = Contract[R][K] extends Endpoint ? Call<Contract[R][K]> : never
export type AskedOf<R extends ResourceName, K extends Keys<R>> = Parameters<CallOf<R, K>>
export type ReplyOf<R extends ResourceName, K extends Keys<R>> = Awaited<ReturnType<CallOf<R, K>>>

const callOf = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K) =>
  (client as never as Record<R, Record<K, (...asked: AskedOf<R, K>) => Promise<ReplyOf<R, K>>>>)[resource][key]

/**
 * What a page asks: `useQuery(ask('terms', 'list', { query: { yearId } }))`. It is remembered under resource, endpoint and what was
 * asked, and asked again once something of its resource was saved.
 */
export const ask = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K, ...asked: AskedOf<R, K>) =>
  queryOptions({ queryKey: [resource, key, ...asked] as const, queryFn: () => callOf(resource, key)(...asked) })

/** A list of the contract, whole: asked for page by page until all of `X-Total-Count` are here, 20,000 rows at most. */
export const askWhole = <R extends ResourceName, K extends Keys<R>>(resource: R, key: K, ...asked: AskedOf<R, K>) =>
  queryOptions({ queryKey: [resource, key, 'whole', ...asked] as const, queryFn: () => whole(resource, key, ...asked) })

function whole<R extends ResourceName, K extends Keys<R>>(resource: R, key: K, ...[asked]: AskedOf<R, K>): Promise<ReplyOf<R, K>> {
  const { raw } = callOf(resource, key) as unknown as { raw: (asked: RawAsked) => Promise<RawReply> }
  const given = (asked ?? {}) as RawAsked
  const collect = async () => {
    const rows: unknown[] = []
    for (let offset = 0; offset < MOST_ROWS; offset += PAGE) {
      const reply = await raw({ ...given, query: { ...given.query, limit: PAGE, offset } })
      if (reply.status !== 200) throw failureOf(reply)
      rows.push(...(reply.body as unknown[]))
      if (rows.length >= Number(reply.headers.get('x-total-count'))) break
    }
    return rows
  }
  return collect() as Promise<ReplyOf<R, K>>
}

/**
 * A change: `const save = useSave('terms', 'update', ['reports'])`, then `save.mutate({ params, body })`. What was read of its own
 * resource and of those named is asked again; so are results, which follow from nearly everything.
 */
export function useSave<R extends ResourceName, K extends Keys<R>>(resource: R, key: K, concerns: readonly ResourceName[] = []) {
  const queries = useQueryClient()
  return useMutation<ReplyOf<R, K>, Failure, AskedOf<R, K>[0]>({
    mutationFn: (asked) => callOf(resource, key)(...([asked] as AskedOf<R, K>)),
    onSuccess: () => refresh(queries, [resource, 'calculations', 'history', ...concerns]),
  })
}

/** Everything that was read of these resources is asked again where it is on the page, and before it is next shown. */
export const refresh = (queries: QueryClient, resources: readonly ResourceName[]): Promise<unknown> =>
  Promise.all(resources.map((resource) => queries.invalidateQueries({ queryKey: [resource] })))

/** A refusal is an answer and is not asked again; a server that is not there is asked a few times. */
const isWorthAnotherTry = (tries: number, error: unknown) => {
  const status = error instanceof Failure ? error.status : 500
  return tries < 3 && (status === 0 || status === 502 || status === 503)
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: isWorthAnotherTry, networkMode: 'always' },
    // A write is sent once: whoever made it is told what became of it.
    mutations: { retry: false, networkMode: 'always' },
  },
})
