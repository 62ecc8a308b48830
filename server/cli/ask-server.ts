import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { limits } from '@markbook/shared/limits'
import type { Obstacle } from '../replication/upstream/upstream-status.ts'

/** A reply: `date` is its Date header in ms since 1970, null where it has none. */
export type Answered = { status: number; text: string; date: number | null }

/**
 * GETs a path of a server; null where none answers within `limits.doctor.timeoutMs`. The certificate is not verified: the address is from
 * the note in the data folder, which is trusted already, and no secret is sent.
 */
export function askServer(url: string, path: string): Promise<Answered | null> {
  return new Promise((resolve) => {
    const options = { timeout: limits.doctor.timeoutMs, rejectUnauthorized: false, agent: false }
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

/** The state of replication in the text of `/metrics`; null where it is not there. */
export const replicationIn = (text: string): string | null => /^markbook_sync_state\{state="(\w+)"\} 1$/m.exec(text)?.[1] ?? null

/** What stops replication although the parent answers, from the text of `/metrics`; null where nothing does. */
export function obstacleIn(text: string): Obstacle | null {
  if (figureIn(text, 'markbook_sync_reply_altered') === 1) return 'altered'
  return figureIn(text, 'markbook_sync_parent_older') === 1 ? 'parent_older' : null
}

/** When a server was started, by the clock of now, from the text of its `/metrics`; null where that is not there. */
export const startIn = (text: string, now: number): number | null => {
  const up = figureIn(text, 'markbook_up_seconds')
  return up > 0 ? now - up * 1_000 : null
}

/** A metric without labels, from the text of `/metrics`; 0 where it is not there. */
export const figureIn = (text: string, name: string): number => Number(new RegExp(`^${name} ([\\d.e+]+)`, 'm').exec(text)?.[1] ?? 0)
