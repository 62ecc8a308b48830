import { pathOf } from '@markbook/shared/contract/client'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import type { App } from '../http/app.ts'

/** A request of a test, right or wrong; `file` goes as the multipart part of that name. */
export type Ask = {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  file?: { name: string; text: string }
}
/** A reply as it went over the wire. `headers` without the request's id, which is never the same. */
export type Told = { status: number; code: string | undefined; text: string; headers: string }

const BASE = 'http://markbook.test'

export function requestFor(endpoint: Endpoint, { params, query = {}, body, file }: Ask, headers: Record<string, string> = {}): Request {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  const url = `${BASE}${pathOf(endpoint, params)}${search ? `?${search}` : ''}`
  if (file) {
    const form = new FormData()
    form.set('file', new File([file.text], file.name, { type: 'text/csv' }))
    return new Request(url, { method: endpoint.method, headers, body: form })
  }
  if (body === undefined) return new Request(url, { method: endpoint.method, headers })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Request(url, { method: endpoint.method, headers: { 'content-type': 'application/json', ...headers }, body: text })
}

export async function tell(app: App, request: Request): Promise<Told> {
  const response = await app.fetch(request)
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id').sort()
  return { status: response.status, code: codeIn(text), text, headers: JSON.stringify(headers) }
}

/** Asks with a Cookie header, empty for none. */
export const ask = (app: App, endpoint: Endpoint, asked: Ask, cookie = ''): Promise<Told> =>
  tell(app, requestFor(endpoint, asked, cookie ? { cookie } : {}))

const codeIn = (text: string): string | undefined => {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}
