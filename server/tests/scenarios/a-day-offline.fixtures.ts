import dns from 'node:dns'
import { vi } from 'vitest'
import type { Services } from '../../http/services.ts'
import { ask } from '../../testing/ask.ts'
import { rollbackApp } from '../../testing/dry.ts'
import { cookieAt } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { endpoints, type Furnished } from '../matrix/furnished.ts'
import { expected } from '../matrix/row.ts'

/** No name has an address, and nothing outside answers. `askedFor`: what was asked of the world all the same. */
export function outage(): { askedFor(): string[]; end(): void } {
  const asked: string[] = []
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: unknown[]) => {
    asked.push(name)
    const answer = rest.at(-1) as (error: Error) => void
    setImmediate(() => answer(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })))
  }) as never)
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (what) => {
    asked.push(String(what))
    throw new TypeError('fetch failed')
  })
  return {
    askedFor: () => asked,
    end: () => {
      lookup.mockRestore()
      fetching.mockRestore()
    },
  }
}

/**
 * Asks a school's own server for every endpoint of the contract, with the matrix's own request of somebody who gets it, and takes back
 * what was done. What the matrix wants there is what a server with a line answers.
 */
export async function servedAt(box: School, { rowOf }: Furnished, mailer: Services['mailer']) {
  const app = rollbackApp({ ...box.services, mailer })
  const cookies = { okafor: await cookieAt(box, 'okafor'), nobody: await cookieAt(box, 'nobody'), tomas: await cookieAt(box, 'tomas') }
  const [seen, wanted]: [string[], string[]] = [[], []]
  for (const named of endpoints) {
    const { name, endpoint } = named
    const { own } = rowOf(named)
    const who = (['okafor', 'nobody', 'tomas'] as const).find((actor) => expected(endpoint, own, actor) === 'ok') ?? 'okafor'
    const want = name === 'replication.join' ? '409:sync.joined_already' : expected(endpoint, own, who)
    const { status, code } = await ask(app, endpoint, own[0], cookies[who])
    const isDone = status === (endpoint.status ?? 200)
    wanted.push(`${name} ${want}`)
    seen.push(`${name} ${isDone ? 'ok' : want.includes(':') ? `${status}:${code}` : status}`)
  }
  return { seen, wanted }
}
