import { contract } from '@markbook/shared/contract/contract'
import type { Endpoint } from '@markbook/shared/contract/endpoint'

const patterns = Object.values(contract)
  .flatMap((resource) => Object.values(resource as Record<string, Endpoint>))
  .map((endpoint) => ({ endpoint, pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`) }))
  // A constant path segment comes before a parameter in its place.
  .sort((a, b) => a.endpoint.path.split(':').length - b.endpoint.path.split(':').length)

/**
 * Throws where a successful reply differs from the reply parsed by the contract, which the server itself does not check (http/shapes.ts).
 */
export async function demandAsPromised(request: Request, response: Response): Promise<void> {
  const { pathname } = new URL(request.url)
  const reply = patterns.find(({ endpoint, pattern }) => endpoint.method === request.method && pattern.test(pathname))?.endpoint.reply
  if (!response.ok || reply === undefined || typeof reply === 'string') return
  const text = await response.clone().text()
  const promised = JSON.stringify(reply.parse(JSON.parse(text)))
  if (promised !== text) throw new Error(`${request.method} ${pathname} replied ${text}, of which the contract names ${promised}`)
}
