import type { Row } from '@markbook/shared/tables/tables'
import { describe, expect, test } from 'vitest'
import { computersAmong, keptName, nameAnew, successorOf } from './nodes.ts'

type Peer = Row<'sync_peer'>

test('what a node calls itself is kept in one line, without what nobody sees', () => {
  expect(keptName('Ada’s laptop (2)')).toBe('Ada’s laptop (2)')
  expect(keptName('lap\u001b[2J\r\ntop\u202e\u200b')).toBe('lap [2J top')
  expect(keptName('\u0007\u200b')).toBe('?')
})

describe('what a node is called that begins anew', () => {
  test('the next number of its own name, whatever others there are', () => {
    expect(nameAnew('Ada’s laptop', ['Ada’s laptop', 'the school', 'Library'])).toBe('Ada’s laptop (2)')
    expect(nameAnew('Ada’s laptop (2)', ['Ada’s laptop', 'Ada’s laptop (2)', 'the school'])).toBe('Ada’s laptop (3)')
    expect(nameAnew('Ada’s laptop', ['Ada’s laptop', 'Ada’s laptop (4)'])).toBe('Ada’s laptop (5)')
  })
})

describe('as which node another began anew', () => {
  const at = (hour: number) => `2026-01-12T0${hour}:00:00.000Z`
  const peer = (name: string, enrolled: number, heard: number | null, more: Partial<Peer> = {}) =>
    ({
      id: `${name} ${enrolled}`,
      name,
      side: 'child',
      kind: 'laptop',
      school_id: 's',
      user_id: 'ada',
      enrolled_at: at(enrolled),
      last_seen_at: heard === null ? null : at(heard),
      revoked_at: null,
      ...more,
    }) as Peer

  test('each earlier number names the next, and the last has none', () => {
    const [first, second, third] = [peer('PC', 1, 3), peer('PC (2)', 3, 5), peer('PC (3)', 5, 6)]
    const all = [third, first, second]
    expect(successorOf(first, all)).toEqual({ name: 'PC (2)', at: at(3), bothHeard: false })
    expect(successorOf(second, all)).toEqual({ name: 'PC (3)', at: at(5), bothHeard: false })
    expect(successorOf(third, all)).toBeNull()
  })

  test('a node that was heard after that is one of two', () => {
    const [first, second] = [peer('PC', 1, 4), peer('PC (2)', 3, 4)]
    expect(successorOf(first, [first, second])?.bothHeard).toBe(true)
  })

  test('a clone is reported once: the number that both had is silent once each has another', () => {
    const [both, clone, original] = [peer('PC', 1, 4), peer('PC (2)', 2, 6), peer('PC (3)', 4, 5)]
    const all = [both, clone, original]
    expect(all.map((each) => successorOf(each, all))).toEqual([
      { name: 'PC (2)', at: at(2), bothHeard: false },
      { name: 'PC (3)', at: at(4), bothHeard: true },
      null,
    ])
    expect(computersAmong(all)).toEqual([clone, original])
    // Nor is the number a copy again once one of the two is revoked.
    const shutOut = [both, clone, { ...original, revoked_at: at(6) }]
    expect(shutOut.map((each) => successorOf(each, shutOut)?.bothHeard)).toEqual([false, undefined, undefined])
    expect(computersAmong(shutOut)).toEqual([clone])
  })

  test('the copy of a computer that kept its number is named by its last', () => {
    const [original, before, copy] = [peer('PC', 1, 6), peer('PC (2)', 2, 3), peer('PC (3)', 4, 5)]
    const all = [original, before, copy]
    expect(all.map((each) => successorOf(each, all))).toEqual([
      { name: 'PC (3)', at: at(4), bothHeard: true },
      { name: 'PC (3)', at: at(4), bothHeard: false },
      null,
    ])
    expect(computersAmong([...all, peer('PC', 1, 2, { user_id: 'cathal' }), peer('Tab', 1, 2, { side: 'parent' })])).toHaveLength(3)
  })

  test('of two with one name neither has a successor', () => {
    const [first, other, second] = [peer('PC', 1, 4), peer('PC', 2, 3), peer('PC (2)', 3, 4)]
    expect(successorOf(first, [first, other, second])).toBeNull()
    expect(successorOf(first, [first, { ...other, revoked_at: at(3) }, second])?.name).toBe('PC (2)')
  })

  test('not another’s, not another school’s, not one of the same name, and not where either is revoked', () => {
    const first = peer('PC', 1, 3)
    const others = [
      peer('PC (2)', 3, 4, { user_id: 'cathal' }),
      peer('PC (2)', 3, 4, { school_id: 'hilltop' }),
      peer('PC', 3, 4),
      peer('PC (2)', 3, 4, { revoked_at: at(5) }),
    ]
    expect(successorOf(first, [first, ...others])).toBeNull()
    const revoked = { ...first, revoked_at: at(5) }
    expect(successorOf(revoked, [revoked, peer('PC (2)', 3, 4)])).toBeNull()
  })
})
