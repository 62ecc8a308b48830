import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import type { App } from '../../app/app.ts'
import type { Ask } from '../../testing/ask.ts'
import { rollbackApp } from '../../testing/dry.ts'
import { type School, type SchoolOptions, school } from '../../testing/school.ts'
import { type Matrix, matrixOf } from '../matrix.ts'
import { type Actor, cookiesOf } from './actors.ts'
import { furnish, type HistoryIds } from './neighbour.ts'
import { expected, type Row } from './row.ts'

export type Named = { name: string; resource: string; key: string; endpoint: Endpoint }

/** Every endpoint of the contract by name, `terms.get`. */
export const endpoints: readonly Named[] = Object.entries(contract).flatMap(([resource, list]) =>
  Object.entries(list).map(([key, endpoint]) => ({ name: `${resource}.${key}`, resource, key, endpoint: endpoint as Endpoint })),
)
export const guarded = endpoints.filter(({ endpoint }) => endpoint.guard !== 'none')
export const changing = endpoints.filter(({ endpoint }) => endpoint.method !== 'GET')
export const withJson = endpoints.filter(({ endpoint }) => endpoint.body && endpoint.body !== 'multipart')
export const lists = endpoints.filter(({ endpoint }) => endpoint.list && endpoint.method === 'GET')

/** The story with something to do for every endpoint, cookies for every actor, and a second app that takes everything back. */
export type Furnished = {
  st: School
  dry: App
  cookies: Record<Actor, string>
  history: HistoryIds
  matrix: Matrix
  rowOf(named: Named): Row
  /** A valid request for the endpoint, and the cookie of somebody at St Brigid's or of no school who gets what is asked for. */
  ownAsk(named: Named): Ask
  ownCookie(named: Named): string
}

export async function furnished(options: SchoolOptions = {}): Promise<Furnished> {
  const st = await school(options)
  const cookies = await cookiesOf(st)
  const history = await furnish(st)
  const matrix = matrixOf(history)
  const rowOf = ({ resource, key }: Named) => (matrix as unknown as Record<string, Record<string, Row>>)[resource]?.[key] as Row
  const ownCookie = (named: Named) => {
    const who = (['okafor', 'nobody', 'tomas'] as const).find((actor) => expected(named.endpoint, rowOf(named).own, actor) === 'ok')
    return cookies[who ?? 'okafor']
  }
  return { st, dry: rollbackApp(st.services), cookies, history, matrix, rowOf, ownAsk: (named) => rowOf(named).own[0], ownCookie }
}
