import type { HeaderList } from '../../http/replies.ts'
import { MUST_REFETCH, schemaOf, upToDate } from './messages.ts'
import { positionToOffset } from './offsets.ts'
import type { ShapePage } from './page.ts'
import type { ShapeRequest } from './shape-request.ts'

export type PageReply = { input: ShapeRequest; handle: string; cursor: string; page: ShapePage }

const FIXED: HeaderList = [
  ['content-type', 'application/json; charset=UTF-8'],
  ['x-content-type-options', 'nosniff'],
  ['vary', 'cookie'],
]
/** Replies are personal: no shared cache stores them, and a browser revalidates. */
const OWN: HeaderList[number] = ['cache-control', 'private, no-cache']

/** A page of a shape; 304 where the client already has this page. */
export function pageReply({ input, handle, cursor, page }: PageReply, request: Request, headers: HeaderList): Response {
  const offset = positionToOffset(page.to)
  const etag = `"${handle}:${input.from === 'head' ? 'now' : positionToOffset(input.from)}:${offset}"`
  const sent: HeaderList = [
    ...FIXED,
    OWN,
    ...headers,
    ['etag', etag],
    ['electric-handle', handle],
    ['electric-offset', offset],
    ['electric-has-data', String(page.messages.length > 0)],
    ...(page.isLast ? [['electric-up-to-date', ''] as [string, string]] : []),
    input.live ? ['electric-cursor', cursor] : ['electric-schema', JSON.stringify(schemaOf(input.table, input.columns))],
  ]
  if (!input.live && request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: sent })
  const messages = page.isLast ? [...page.messages, upToDate(page.to.next)] : page.messages
  return new Response(JSON.stringify(messages), { status: 200, headers: sent })
}

/** The client's copy is invalid: it must discard it, and start again with this handle. */
export const refetchReply = (handle: string, headers: HeaderList): Response =>
  new Response(JSON.stringify(MUST_REFETCH), {
    status: 409,
    headers: [...FIXED, ['cache-control', 'no-store'], ...headers, ['electric-handle', handle]],
  })

/**
 * For a client that requests events: an empty stream that ends at once. After a few of them the client changes to long polls, as it does
 * behind buffering proxies.
 */
export const fallBackReply = ({ handle, cursor }: PageReply, offset: string, headers: HeaderList): Response =>
  new Response('', {
    status: 200,
    headers: [
      ...FIXED.slice(1),
      ['content-type', 'text/event-stream'],
      ['cache-control', 'no-store'],
      ...headers,
      ['electric-handle', handle],
      ['electric-offset', offset],
      ['electric-cursor', cursor],
    ],
  })
