import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { keysOf } from '@markbook/server/http/tokens'
import { openDatabase } from './bare.ts'

type Caller = {
  id: string
  email: string
  first_name: string
  last_name: string
  school_id: string
  school_name: string
  role: string
  pending: string | null
}

const [folder = '', secret = ''] = process.argv.slice(2)
export const database = openDatabase(folder)
const accessKey = keysOf(secret).access
const COOKIE = 'sb-local-auth-token=base64-'
const bySession = database.prepare<[string, string, string], Caller>(`
  select u.id, u.email, u.first_name, u.last_name, m.school_id, s.name as school_name, m.role,
    (select r.id || ' ' || rs.updated_at from school_join_request r join school rs on rs.id = r.school_id
      where r.user_id = u.id and r.status = 'pending' order by r.requested_at desc, r.id desc limit 1) as pending
  from session join user_profile u on u.id = session.user_id
  left join school_management m on m.user_id = u.id and m.school_id = u.school_id
  left join school s on s.id = m.school_id
  where session.id = ? and session.revoked_at is null and session.expires_at > ? and session.last_used_at > ?`)

/** Verifies the cookie and loads the caller like the server, in one statement. */
export function callerOf(request: IncomingMessage): Caller {
  const sent = request.headers.cookie ?? ''
  const at = sent.indexOf(COOKIE)
  const { access_token } = JSON.parse(Buffer.from(sent.slice(at + COOKIE.length), 'base64url').toString()) as { access_token: string }
  const dot = access_token.lastIndexOf('.')
  const signed = access_token.slice(0, dot)
  const expected = createHmac('sha256', accessKey).update(signed).digest()
  if (!timingSafeEqual(expected, Buffer.from(access_token.slice(dot + 1), 'base64url'))) throw new Error('not signed in')
  const claims = JSON.parse(Buffer.from(signed.slice(signed.indexOf('.') + 1), 'base64url').toString()) as { sid: string; exp: number }
  const now = Date.now()
  if (claims.exp * 1_000 <= now) throw new Error('not signed in')
  const caller = bySession.get(claims.sid, new Date(now).toISOString(), new Date(now - 14 * 86_400_000).toISOString())
  if (!caller) throw new Error('not signed in')
  return caller
}
