import type { Endpoint } from '@markbook/shared/contract/endpoint'
import type { Plugin } from 'vite'

const NAME = 'virtual:contract'

/**
 * The module `virtual:contract`: method, path and kind of reply of each endpoint. The compiler checks requests and replies, so that the
 * schemas and zod, 60 KB, are not in the app.
 */
export function contractPlugin(): Plugin {
  return {
    name: 'contract',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    async load(id) {
      if (id !== `\0${NAME}`) return null
      const { contract } = await import('@markbook/shared/contract/contract')
      const { desktopContract } = await import('@markbook/shared/contract/desktop')
      return `export const contract = ${JSON.stringify(mapped(contract, leanOf))}
export const desktopContract = ${JSON.stringify(leanOf(desktopContract))}`
    },
  }
}

const leanOf = (resource: Record<string, Endpoint>) =>
  mapped(resource, ({ method, path, reply }) => ({ method, path, ...(typeof reply === 'string' && { reply }) }))

const mapped = <T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
