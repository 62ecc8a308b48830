import { pathOf } from '@markbook/shared/contract/client'
import type { Endpoint } from '@markbook/shared/contract/endpoint'
import type { App } from '../app/app.ts'

/** A request of a test, valid or not; `file` is sent as the multipart part of that name, after the fields of `form`. */
export type Ask = {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  file?: { name: string; text: string | Uint8Array<ArrayBuffer>; type?: string }
  form?: Readonly<Record<string, string>>
}
/** A reply as received. `headers` without the request's id, which always differs. */
export type Answer = { status: number; code: string | undefined; text: string; headers: string }

const BASE = 'http://markbook.test'

export function requestFor(
  endpoint: Endpoint,
  { params, query = {}, body, file, form: fields = {} }: Ask,
  headers: Record<string, string> = {},
): Request {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
  const url = `${BASE}${pathOf(endpoint, params)}${search ? `?${search}` : ''}`
  if (file) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', new File([file.text], file.name, { type: file.type ?? 'text/csv' }))
    return new Request(url, { method: endpoint.method, headers, body: form })
  }
  if (body === undefined) return new Request(url, { method: endpoint.method, headers })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Request(url, { method: endpoint.method, headers: { 'content-type': 'application/json', ...headers }, body: text })
}

export async function tell(app: App, request: Request): Promise<Answer> {
  const response = await app.fetch(request)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const text = isStream ? await firstEvent(response) : Buffer.from(await response.arrayBuffer()).toString('latin1')
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id').sort()
  return { status: response.status, code: codeIn(text), text, headers: JSON.stringify(headers) }
}

/** The first event of a stream; some streams never end. */
async function firstEvent({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return Buffer.from(value ?? []).toString('latin1')
}

/** Sends a request with a Cookie header, empty for none. */
export const ask = (app: App, endpoint: Endpoint, input: Ask, cookie = ''): Promise<Answer> =>
  tell(app, requestFor(endpoint, input, cookie ? { cookie } : {}))

const codeIn = (text: string): string | undefined => {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}
