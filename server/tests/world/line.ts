import type { Carrier } from '../../replication/line/parent-line.ts'
import { unpacked } from '../../testing/nodes.ts'
import type { Chance } from './chance.ts'
import { Crash, type WorldNode } from './node.ts'

/** What a line may do to one request (promise 5), each a switch of its own. */
export const lineFaults = [
  'request lost',
  'reply lost',
  'request repeated',
  'request delayed',
  'request cut short',
  'reply cut short',
  'reply of before',
  'parent crashes before commit',
  'parent crashes after commit',
] as const
export type LineFault = (typeof lineFaults)[number]

/** Requests that are still on their way, for weeks perhaps, and replies that were seen. */
export type InFlight = {
  late: { to: WorldNode; request: Request }[]
  replies: Map<string, { body: Uint8Array<ArrayBuffer>; headers: Headers; status: number }>
}
export const newWay = (): InFlight => ({ late: [], replies: new Map() })

type Carry = {
  child: WorldNode
  parent: WorldNode
  way: InFlight
  fault: (path: string) => LineFault | null
  chance: Chance
  saw(text: string): void
}

/** Carries a child's requests to its parent in this process, with the faults that `fault` names. */
export function carrierOf({ child, parent, way, fault, chance, saw }: Carry): Carrier {
  const serve = async (request: Request): Promise<Response> => {
    const response = await parent.app.fetch(request)
    if (response.status >= 500 && !parent.crashed) saw(`${parent.name} answered ${response.status}: ${wordsOf(parent.errors.at(-1))}`)
    return response
  }
  return async (request) => {
    const { pathname } = new URL(request.url)
    const what = fault(pathname)
    const key = `${child.name} ${parent.name} ${pathname}`
    if (what) saw(`· ${what}: ${pathname}`)
    if (what === 'request lost') throw new Error('the line broke')
    if (what === 'request delayed') {
      way.late.push({ to: parent, request: request.clone() })
      throw new Error('the line broke')
    }
    if (what === 'request cut short') return serve(await cut(request, chance))
    if (what === 'request repeated') {
      const again = request.clone()
      const first = await serve(request)
      await serve(again)
      return unpacked(first)
    }
    if (what?.startsWith('parent crashes'))
      return crashing(parent, what.endsWith('before commit') ? 'before commit' : 'after commit', serve, request)
    const response = await unpacked(await serve(request))
    if (what === 'reply lost') throw new Error('the line broke')
    const body = new Uint8Array(await response.arrayBuffer())
    const before = way.replies.get(key)
    way.replies.set(key, { body, headers: response.headers, status: response.status })
    if (what === 'reply of before' && before) return new Response(before.body, before)
    const told = what === 'reply cut short' ? body.slice(0, chance.below(body.length)) : body
    return new Response(told, { status: response.status, headers: response.headers })
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? String(error.stack) : JSON.stringify(error))

async function crashing(
  parent: WorldNode,
  crash: NonNullable<WorldNode['crash']>,
  serve: (request: Request) => Promise<Response>,
  request: Request,
): Promise<Response> {
  parent.crashed = true
  parent.crash = crash
  try {
    await serve(request)
  } finally {
    await parent.restart()
  }
  throw new Crash('the parent is gone')
}

async function cut(request: Request, chance: Chance): Promise<Request> {
  const body = new Uint8Array(await request.arrayBuffer())
  return new Request(request.url, { method: request.method, headers: request.headers, body: body.slice(0, chance.below(body.length)) })
}
