import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { limits } from '@markbook/shared/limits'
import type { Obstacle } from '../replication/upstream/upstream-status.ts'

/** What came back: `date` is the header of that name in ms since 1970, null where there is none. */
export type Answered = { status: number; text: string; date: number | null }

/**
 * Asks a server for a page, patiently but not for ever; null where none answers. On this machine the server's certificate proves nothing
 * that the note in its folder does not, and no secret is sent.
 */
export function askServer(url: string, path: string): Promise<Answered | null> {
  return new Promise((resolve) => {
    const options = { timeout: limits.doctor.patience, rejectUnauthorized: false, agent: false }
    const get = url.startsWith('https:') ? getSecure : getPlain
    const request = get(`${url}${path}`, options, (response) => {
      let text = ''
      const date = Date.parse(response.headers.date ?? '')
      response.setEncoding('utf8').on('data', (part) => {
        if (text.length < LONGEST) text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, date: Number.isNaN(date) ? null : date }))
      response.on('error', () => resolve(null))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(null))
  })
}

const LONGEST = 10_485_760

/** In which state replication is, as the running server says it among its figures; null where it does not say. */
export const replicationIn = (text: string): string | null => /^markbook_sync_state\{state="(\w+)"\} 1$/m.exec(text)?.[1] ?? null

/** Why nothing goes although something answers, as the running server says it; null where nothing is in the way. */
export function obstacleIn(text: string): Obstacle | null {
  if (figureIn(text, 'markbook_sync_reply_altered') === 1) return 'altered'
  return figureIn(text, 'markbook_sync_parent_older') === 1 ? 'parent_older' : null
}

/** A figure of `/metrics` without labels; 0 where it is not there. */
export const figureIn = (text: string, name: string): number => Number(new RegExp(`^${name} ([\\d.e+]+)`, 'm').exec(text)?.[1] ?? 0)
