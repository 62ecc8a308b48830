import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type ChainedEntry, digestOf } from './history-chain.ts'

const entry = (at: number, entity: string, detail?: string | null): ChainedEntry => ({
  id: `01900000-0000-7000-8000-${String(at).padStart(12, '0')}`,
  at: '2026-01-12T08:00:00.000Z',
  actor_id: at % 3 === 0 ? null : 'a',
  node_id: 'n',
  entity,
  row_id: 'r',
  near_id: 'r',
  action: 'update',
  changes: JSON.stringify({ after: { remarks: 'Zoë’s, łoś'.repeat(at % 40) } }),
  ...(detail !== undefined && { detail }),
})

/** The digest as older programs computed it, over one text; their chains must stay valid. */
const whole = (entries: readonly object[]) => createHash('sha256').update(JSON.stringify(entries)).digest('hex')

describe('the digest of what a transaction wrote', () => {
  test.each([1, 2, 300, 2_000])('of %i entries, hashed in pieces, equals that of their whole text', (count) => {
    const entries = Array.from({ length: count }, (_, at) => entry(at, 'grade', at % 2 === 0 ? '{"row":{}}' : undefined))
    expect(digestOf(entries)).toBe(whole(entries))
    expect(digestOf([...entries].reverse())).toBe(whole(entries))
  })

  test('orders entries of rows first, and ignores a null detail', () => {
    const [note, row] = [entry(1, 'sign_in'), entry(2, 'grade')]
    expect(digestOf([note, { ...row, detail: null }])).toBe(whole([row, note]))
  })
})
