import type { Endpoint } from '@markbook/shared/contract/endpoint'
import type { Plugin } from 'vite'

const NAME = 'virtual:contract'

/**
 * Of an endpoint the app needs at run time its method, its path and whether its reply is JSON; what it takes and answers is needed by
 * the compiler alone. The schemas, and the library that checks with them, stay with the server: 60 KB that nobody downloads.
 */
export function leanContract(): Plugin {
  return {
    name: 'lean-contract',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    async load(id) {
      if (id !== `\0${NAME}`) return null
      const { contract } = await import('@markbook/shared/contract/contract')
      return `export const contract = ${JSON.stringify(leanOf(contract))}`
    },
  }
}

const leanOf = (contract: Record<string, Record<string, Endpoint>>) =>
  mapped(contract, (resource) =>
    mapped(resource, ({ method, path, reply }) => ({ method, path, ...(typeof reply === 'string' && { reply }) })),
  )

const mapped = <T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
