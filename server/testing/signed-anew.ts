import { signReply } from '../replication/identity/keys.ts'
import { keysKnownAs } from '../replication/identity/parent-keys.ts'
import { answering, headersOf } from '../replication/line/headers.ts'
import type { School } from './school.ts'

/** What the reply to a request of another node is bound to. */
export const answersTo = ({ headers }: Pick<Request, 'headers'>): string =>
  answering({ peer: headers.get(headersOf.peer) ?? '', signature: headers.get(headersOf.signature) ?? '' })

/** What a parent of protocol 2 binds its reply to. */
export const answersBefore = ({ headers }: Pick<Request, 'headers'>): string => headers.get(headersOf.signature) ?? ''

/** The reply to a child's request with another content, signed by the parent: what a parent of another program would say. */
export async function signedAnew(
  { services }: Pick<School, 'services'>,
  request: Request,
  { status, headers }: Response,
  content: unknown,
  answers = answersTo(request),
): Promise<Response> {
  const text = JSON.stringify(content)
  const [node = '', key = ''] = (request.headers.get(headersOf.parent) ?? '').split(' ')
  const keys = await keysKnownAs(services, { node, key })
  const changed = new Headers(headers)
  changed.set(headersOf.signature, signReply({ answers, status, body: Buffer.from(text) }, keys))
  return new Response(text, { status, headers: changed })
}
