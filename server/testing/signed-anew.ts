import { signReply } from '../replication/identity/keys.ts'
import { keysKnownAs } from '../replication/identity/own-keys.ts'
import { answering, headersOf } from '../replication/line/headers.ts'
import type { School } from './school.ts'

/** The value to which a reply to another node's request is bound. */
export const answersTo = ({ headers }: Pick<Request, 'headers'>): string =>
  answering({ peer: headers.get(headersOf.peer) ?? '', signature: headers.get(headersOf.signature) ?? '' })

/** The value to which a parent of protocol 2 binds its reply. */
export const answersBefore = ({ headers }: Pick<Request, 'headers'>): string => headers.get(headersOf.signature) ?? ''

/** A reply to a child's request with other content, signed by the parent, as a parent with another program might send. */
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
