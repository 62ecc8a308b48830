import { Failure } from '@markbook/shared/failures'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MarkQueue } from './mark-queue.ts'
import { type MarkToSend, markToSend, type StoredMark } from './pending-mark.ts'

const away = () => new Failure(0, 'unreachable', 'The server cannot be reached.')

/** A server with assessments, timers that the test runs, and a connection that can lose requests or replies. */
function world(of: { readsFirst?: boolean } = {}) {
  const stored = new Map<string, Map<string, number>>()
  const sent: { assessmentId: string; marks: readonly MarkToSend[] }[] = []
  const removed: string[] = []
  const timers: { ms: number; then: () => void }[] = []
  const line = {
    request: true,
    reply: true,
    breaksAfterRead: false,
    refuse: null as null | ((marks: readonly MarkToSend[]) => Failure | null),
  }
  let atOnce = 0
  const most = { atOnce: 0 }
  const rowsOf = (assessmentId: string): StoredMark[] =>
    [...(stored.get(assessmentId) ?? [])].map(([student_id, score]) => ({ student_id, score, status: null, remarks: null }))
  const queue = new MarkQueue<StoredMark>({
    ...of,
    send: async (assessmentId, entries) => {
      const marks = entries.map(markToSend)
      atOnce += 1
      most.atOnce = Math.max(most.atOnce, atOnce)
      await Promise.resolve()
      atOnce -= 1
      if (!line.request || line.breaksAfterRead) throw away()
      const refusal = line.refuse?.(marks)
      if (refusal) throw refusal
      sent.push({ assessmentId, marks })
      const own = stored.get(assessmentId) ?? new Map()
      stored.set(assessmentId, own)
      for (const { studentId, score } of entries) own.set(studentId, score)
      if (!line.reply) throw away()
      return rowsOf(assessmentId)
    },
    remove: async (assessmentId, studentId, known) => {
      if (!line.request || line.breaksAfterRead) throw away()
      const present = stored.get(assessmentId)?.get(studentId)
      if (present !== undefined && !known.includes(present)) throw new Failure(409, 'grades.changed_meanwhile', 'Changed since.')
      stored.get(assessmentId)?.delete(studentId)
      if (!line.reply) throw away()
    },
    removed: (_assessmentId, studentId) => void removed.push(studentId),
    read: async (assessmentId) => {
      if (!line.request || !line.reply) throw away()
      return rowsOf(assessmentId)
    },
    saved: () => {},
    store: () => {},
    later: (ms, then) => {
      const timer = { ms, then }
      timers.push(timer)
      return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
    },
    now: () => '2026-01-12T08:00:00.000Z',
    random: () => 1,
  })
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0))
  /** Runs all timers, for a number of rounds. */
  const turn = async (rounds = 6) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const { then } of timers.splice(0)) then()
      await settle()
    }
  }
  const score = (assessmentId: string, studentId: string) => stored.get(assessmentId)?.get(studentId)
  const put = (studentId: string, value: number | null, seen: number | null = null, assessmentId = 'a') =>
    queue.put([{ assessmentId, studentId, score: value, seen }])
  return { queue, stored, sent, removed, timers, line, most, turn, settle, score, put }
}

describe('the mark queue', () => {
  test('with readsFirst the server is read before every request, and a changed mark is a conflict', async () => {
    const at = world({ readsFirst: true })
    at.stored.set('a', new Map([['1', 11]]))
    at.put('1', 12, 10)
    at.put('2', 13)
    await at.turn()
    expect(at.score('a', '1')).toBe(11)
    expect(at.score('a', '2')).toBe(13)
    expect(at.queue.get('a', '1')).toMatchObject({ state: 'conflict', theirs: 11, score: 12 })
  })

  test('marks typed quickly are sent in one request, in the order of entry', async () => {
    const at = world()
    at.put('1', 12)
    at.put('2', 13)
    at.put('1', 14)
    await at.turn()
    expect(at.sent).toEqual([
      {
        assessmentId: 'a',
        marks: [
          { studentId: '1', score: 14, status: null },
          { studentId: '2', score: 13, status: null },
        ],
      },
    ])
    expect(at.queue.all()).toEqual([])
  })

  test('an assessment has one request at a time; marks typed meanwhile are in the next one', async () => {
    const at = world()
    at.put('1', 12)
    for (const { then } of at.timers.splice(0)) then()
    at.put('1', 15)
    at.put('2', 8)
    await at.turn()
    expect(at.most.atOnce).toBe(1)
    expect([at.score('a', '1'), at.score('a', '2')]).toEqual([15, 8])
    expect(at.queue.all()).toEqual([])
  })

  test('marks wait for an unreachable server with growing pauses, and are sent once it is back', async () => {
    const at = world()
    at.line.request = false
    at.put('1', 12)
    const pauses: number[] = []
    for (let round = 0; round < 7; round += 1) {
      const [timer] = at.timers.splice(0)
      pauses.push(timer?.ms ?? 0)
      timer?.then()
      await at.settle()
    }
    expect(pauses).toEqual([200, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
    expect(at.queue.get('a', '1')?.state).toBe('waiting')
    at.line.request = true
    at.queue.retry()
    await at.turn()
    expect(at.score('a', '1')).toBe(12)
    expect(at.queue.all()).toEqual([])
  })

  test('a new mark is waiting at once while the server is unreachable', async () => {
    const at = world()
    at.line.request = false
    at.put('1', 12)
    await at.turn(1)
    at.put('2', 13)
    expect(at.queue.all().map(({ state }) => state)).toEqual(['waiting', 'waiting'])
    await at.turn(2)
    at.put('2', 14)
    expect(at.queue.all().map(({ state }) => state)).toEqual(['waiting', 'waiting'])
    at.line.request = true
    await at.turn()
    expect([at.score('a', '1'), at.score('a', '2'), at.queue.all().length]).toEqual([12, 14, 0])
  })

  test('a mark that was saved, but whose reply was lost, is not sent again', async () => {
    const at = world()
    at.line.reply = false
    at.put('1', 12)
    await at.turn(1)
    expect(at.score('a', '1')).toBe(12)
    at.line.reply = true
    await at.turn()
    expect(at.sent).toHaveLength(1)
    expect(at.queue.all()).toEqual([])
  })

  test('a mark that somebody else changed is not overwritten until the user decides', async () => {
    const at = world()
    at.line.request = false
    at.put('1', 12, 10)
    await at.turn(1)
    at.stored.set('a', new Map([['1', 17]]))
    at.line.request = true
    await at.turn()
    expect(at.queue.get('a', '1')).toMatchObject({ state: 'conflict', score: 12, theirs: 17 })
    expect(at.score('a', '1')).toBe(17)
    at.queue.resolve(at.queue.all(), 'mine')
    await at.turn()
    expect(at.score('a', '1')).toBe(12)
  })

  test('typing over a conflict decides it only where the other mark was seen', async () => {
    const at = world()
    at.stored.set('a', new Map([['1', 17]]))
    at.queue.addConflict({ assessmentId: 'a', studentId: '1', score: 12, seen: 10 }, 17)
    for (const seen of [12, 10, null]) {
      at.put('1', 13, seen)
      await at.turn()
      expect([at.score('a', '1'), at.queue.get('a', '1')]).toMatchObject([17, { state: 'conflict', score: 13, seen: 10, theirs: 17 }])
    }
    at.put('1', 13, 17)
    await at.turn()
    expect([at.score('a', '1'), at.queue.all()]).toEqual([13, []])
  })

  test('a decision applies only to the entry as it was shown', async () => {
    const at = world()
    at.stored.set('a', new Map([['1', 17]]))
    at.queue.addConflict({ assessmentId: 'a', studentId: '1', score: 12, seen: 10 }, 17)
    const shown = at.queue.all()
    at.stored.set('a', new Map([['1', 18]]))
    at.queue.reconcile('a', [{ student_id: '1', score: 18, status: null, remarks: null }])
    at.queue.resolve(shown, 'mine')
    await at.turn()
    expect([at.score('a', '1'), at.queue.get('a', '1')]).toMatchObject([18, { state: 'conflict', score: 12, theirs: 18 }])
    at.put('1', 13, 18)
    at.queue.resolve(shown, 'theirs')
    await at.turn()
    expect(at.score('a', '1')).toBe(13)
    // A remark can be typed too.
    at.queue.addConflict({ assessmentId: 'a', studentId: '2', score: 5, seen: null }, 6)
    const before = at.queue.all()
    at.queue.addConflict({ assessmentId: 'a', studentId: '2', score: 5, seen: null, remarks: 'Late' }, 6)
    at.queue.resolve(before, 'theirs')
    expect(at.queue.all()).toMatchObject([{ score: 5, remarks: 'Late', state: 'conflict' }])
  })

  test('the user can discard the mark instead', async () => {
    const at = world()
    at.queue.addConflict({ assessmentId: 'a', studentId: '1', score: 12, seen: 10 }, 17)
    at.queue.resolve(at.queue.all(), 'theirs')
    await at.turn()
    expect([at.sent, at.queue.all()]).toEqual([[], []])
  })

  test('a refusal that names marks refuses these, and the others are saved', async () => {
    const at = world()
    at.line.refuse = (marks) => {
      const wrong = marks.findIndex(({ score }) => score !== null && score > 20)
      return wrong < 0
        ? null
        : new Failure(400, 'grades.above_maximum', 'No.', { issues: [{ path: `grades.${wrong}.score`, message: 'is above' }] })
    }
    at.put('1', 12)
    at.put('2', 99)
    at.put('3', 14)
    await at.turn()
    expect(at.queue.all()).toMatchObject([{ studentId: '2', state: 'refused', message: 'is above' }])
    expect([at.score('a', '1'), at.score('a', '3')]).toEqual([12, 14])
  })

  test('after a refusal that names no mark, marks are sent one at a time', async () => {
    const at = world()
    at.line.refuse = (marks) =>
      marks.some(({ studentId }) => studentId === '2') ? new Failure(404, 'not_found', 'Nobody is there.') : null
    at.put('1', 12)
    at.put('2', 13)
    at.put('3', 14)
    await at.turn(8)
    expect(at.queue.all()).toMatchObject([{ studentId: '2', state: 'refused', message: 'Nobody is there.' }])
    expect([at.score('a', '1'), at.score('a', '3')]).toEqual([12, 14])
    at.put('4', 15)
    at.put('5', 16)
    await at.turn()
    expect(at.sent.map(({ marks }) => marks.length)).toEqual([1, 1, 2])
  })

  test('a refused mark stays with its reason when somebody else’s mark arrives', async () => {
    const at = world()
    at.line.refuse = () => new Failure(400, 'grades.above_maximum', 'No.', { issues: [{ path: 'grades.0.score', message: 'is above' }] })
    at.put('1', 99)
    await at.turn()
    at.queue.reconcile('a', [{ student_id: '1', score: 17, status: null, remarks: null }])
    expect(at.queue.get('a', '1')).toMatchObject({ score: 99, state: 'refused', message: 'is above' })
  })

  test('a mark that is being sent cannot be discarded any more', async () => {
    const at = world()
    at.put('1', 12)
    for (const { then } of at.timers.splice(0)) then()
    const sending = at.queue.all()
    expect(sending).toMatchObject([{ state: 'sending' }])
    at.queue.resolve(sending, 'theirs')
    expect(at.queue.all()).toEqual(sending)
    await at.turn()
    expect([at.queue.all(), at.score('a', '1')]).toEqual([[], 12])
  })

  test('sendNow ends the delay after an entry, and no pause of an unreachable server', async () => {
    const at = world()
    at.put('1', 12)
    at.queue.sendNow('a')
    expect(at.timers.map(({ ms }) => ms)).toEqual([0])
    at.line.request = false
    await at.turn(1)
    const [pause] = at.timers.map(({ ms }) => ms)
    expect(pause).toBeGreaterThan(0)
    at.queue.sendNow('a')
    expect(at.timers.map(({ ms }) => ms)).toEqual([pause])
  })

  test('marks of an earlier window are compared with the server before they are sent; a changed one is a conflict', async () => {
    const at = world()
    at.stored.set(
      'a',
      new Map([
        ['1', 12],
        ['2', 5],
      ]),
    )
    const left = { assessmentId: 'a', seen: null, at: '', state: 'waiting' as const }
    at.queue.takeOver([
      { ...left, studentId: '1', score: 12 },
      { ...left, studentId: '2', score: 9 },
      { ...left, studentId: '3', score: 7 },
    ])
    expect(at.sent).toEqual([])
    await at.turn()
    expect(at.queue.all()).toMatchObject([{ studentId: '2', state: 'conflict', theirs: 5 }])
    expect(at.score('a', '2')).toBe(5)
    expect(at.score('a', '3')).toBe(7)
  })

  test('a mark typed over an old value is compared first: a changed one is a conflict, an equal one is saved already', async () => {
    const at = world()
    at.stored.set(
      'a',
      new Map([
        ['1', 9],
        ['2', 7],
        ['3', 7],
      ]),
    )
    const entries = [8, 7, 8].map((score, index) => ({ assessmentId: 'a', studentId: String(index + 1), score, seen: 7 }))
    at.queue.put(entries, { isCompared: true })
    await at.turn()
    expect(at.queue.all()).toMatchObject([{ studentId: '1', state: 'conflict', theirs: 9 }])
    expect(at.sent).toEqual([{ assessmentId: 'a', marks: [{ studentId: '3', score: 8, status: null }] }])
    expect([at.score('a', '1'), at.score('a', '2'), at.score('a', '3')]).toEqual([9, 7, 8])
  })

  test('the same where it was typed while another mark was being sent', async () => {
    const at = world()
    at.stored.set('a', new Map([['2', 9]]))
    at.put('1', 12)
    for (const { then } of at.timers.splice(0)) then()
    at.queue.put([{ assessmentId: 'a', studentId: '2', score: 8, seen: 7 }], { isCompared: true })
    await at.settle()
    await at.turn()
    expect(at.queue.all()).toMatchObject([{ studentId: '2', state: 'conflict', theirs: 9 }])
    expect([at.score('a', '1'), at.score('a', '2')]).toEqual([12, 9])
  })

  test('the same where it was typed while the server was being read for another mark', async () => {
    const at = world()
    at.stored.set('a', new Map([['2', 9]]))
    at.queue.put([{ assessmentId: 'a', studentId: '1', score: 12, seen: null }], { isCompared: true })
    for (const { then } of at.timers.splice(0)) then()
    at.queue.put([{ assessmentId: 'a', studentId: '2', score: 8, seen: 7 }], { isCompared: true })
    await at.turn()
    expect(at.queue.all()).toMatchObject([{ studentId: '2', state: 'conflict', theirs: 9 }])
    expect([at.score('a', '1'), at.score('a', '2')]).toEqual([12, 9])
  })

  test('of two marks typed in two windows the newer one counts', async () => {
    const at = world()
    at.line.request = false
    at.put('1', 7)
    at.put('2', 7)
    await at.turn(1)
    const left = { assessmentId: 'a', seen: null, state: 'waiting' as const, score: 8 }
    at.queue.takeOver([
      { ...left, studentId: '1', at: '2026-01-12T08:05:00.000Z' },
      { ...left, studentId: '2', at: '2026-01-12T07:55:00.000Z' },
    ])
    at.line.request = true
    await at.turn()
    expect([at.score('a', '1'), at.score('a', '2')]).toEqual([8, 7])
  })

  test('of two marks typed in two windows the newer one keeps the remark of the older one', async () => {
    const at = world()
    at.line.request = false
    at.put('1', 7)
    at.put('2', 7)
    at.put('3', null, 7)
    at.queue.put([{ assessmentId: 'a', studentId: '4', score: 7, remarks: 'of this window', seen: null }])
    await at.turn(1)
    const left = { assessmentId: 'a', seen: null, state: 'waiting' as const, score: 8 }
    const older = { ...left, remarks: 'of the other', at: '2026-01-12T07:55:00.000Z' }
    at.queue.takeOver([
      { ...older, studentId: '1' },
      { ...older, studentId: '3' },
      { ...older, studentId: '4' },
      { ...left, studentId: '2', at: '2026-01-12T08:05:00.000Z' },
    ])
    at.queue.takeOver([{ ...older, studentId: '2', at: '2026-01-12T08:00:00.000Z' }])
    const remarkOf = (studentId: string) => at.queue.get('a', studentId)?.remarks
    expect(['1', '2', '3', '4'].map(remarkOf)).toEqual(['of the other', 'of the other', undefined, 'of this window'])
    at.line.request = true
    await at.turn()
    expect([at.score('a', '1'), at.score('a', '2'), at.queue.all()]).toEqual([7, 8, []])
    const remarks = at.sent.flatMap(({ marks }) => marks.map(({ remarks: sent }) => sent))
    expect(remarks.sort()).toEqual(['of the other', 'of the other', 'of this window'])
  })

  test('a remark of a closed window arrives also where its mark is being sent', async () => {
    const at = world()
    at.put('1', 7)
    for (const { then } of at.timers.splice(0)) then()
    const older = { assessmentId: 'a', studentId: '1', score: 6, seen: null, state: 'waiting' as const, at: '2026-01-12T07:55:00.000Z' }
    at.queue.takeOver([{ ...older, remarks: 'of the other' }])
    await at.turn()
    expect([at.score('a', '1'), at.queue.all()]).toEqual([7, []])
    expect(at.sent.at(-1)?.marks).toMatchObject([{ score: 7, remarks: 'of the other' }])
  })

  test.each([{ reply: true }, { reply: false }])(
    'a newer mark of a closed window counts also while an older one is being sent, whether its reply comes: $reply',
    async ({ reply }) => {
      const at = world()
      at.put('1', 7)
      at.line.reply = reply
      for (const { then } of at.timers.splice(0)) then()
      at.queue.takeOver([{ assessmentId: 'a', studentId: '1', score: 8, seen: null, state: 'waiting', at: '2026-01-12T08:05:00.000Z' }])
      await at.settle()
      at.line.reply = true
      await at.turn()
      expect([at.score('a', '1'), at.queue.all()]).toEqual([8, []])
    },
  )

  test('after an entry was discarded while the server was away, the next one is sent', async () => {
    const at = world({ readsFirst: true })
    at.line.request = false
    at.put('1', 5)
    const failing = at.turn(1)
    at.queue.resolve(at.queue.all(), 'theirs')
    await failing
    at.put('2', 6)
    at.line.request = true
    await at.turn()
    expect([at.queue.all(), at.score('a', '2')]).toEqual([[], 6])
  })

  test('a late mark of an earlier window of this person is not taken for somebody else’s', async () => {
    const at = world()
    at.line.request = false
    at.queue.takeOver([
      { assessmentId: 'a', studentId: '1', score: 2, seen: null, state: 'sending', at: '2026-01-12T07:55:00.000Z' },
      { assessmentId: 'a', studentId: '2', score: 5, seen: null, ours: 4, state: 'fresh', at: '2026-01-12T07:55:00.000Z' },
    ])
    at.put('1', 10, null)
    at.stored.set('a', new Map([['1', 2]]))
    at.stored.get('a')?.set('2', 4)
    at.line.request = true
    await at.turn()
    expect([at.queue.all(), at.score('a', '1'), at.score('a', '2')]).toEqual([[], 10, 5])
  })

  test('a mark is deleted once, although the first reply was lost', async () => {
    const at = world()
    at.stored.set('a', new Map([['1', 12]]))
    at.line.reply = false
    at.put('1', null, 12)
    await at.turn(1)
    expect([at.score('a', '1'), at.queue.get('a', '1')?.state]).toEqual([undefined, 'waiting'])
    at.line.reply = true
    await at.turn()
    expect([at.score('a', '1'), at.queue.all(), at.sent]).toEqual([undefined, [], []])
  })

  test('a mark that somebody else changed is not deleted until the user decides', async () => {
    const at = world()
    at.stored.set('a', new Map([['1', 15]]))
    at.put('1', null, 12)
    await at.turn()
    expect(at.queue.all()).toMatchObject([{ studentId: '1', score: null, state: 'conflict', theirs: 15 }])
    expect(at.score('a', '1')).toBe(15)
    at.queue.resolve(at.queue.all(), 'mine')
    await at.turn()
    expect([at.score('a', '1'), at.queue.all(), at.removed]).toEqual([undefined, [], ['1']])
  })

  test('marks and deletions of one assessment are sent in separate requests', async () => {
    const at = world()
    at.stored.set('a', new Map([['2', 7]]))
    at.put('1', 12)
    at.put('2', null, 7)
    at.put('3', 9)
    await at.turn()
    expect([...(at.stored.get('a') ?? [])]).toEqual([
      ['1', 12],
      ['3', 9],
    ])
    expect(at.queue.all()).toEqual([])
  })

  test('an event with somebody else’s mark makes a waiting mark a conflict', () => {
    const at = world()
    at.put('1', 12, 10)
    at.queue.reconcile('a', [{ student_id: '1', score: 17, status: null, remarks: null }])
    expect(at.queue.get('a', '1')).toMatchObject({ state: 'conflict', theirs: 17 })
  })

  test('a conflict shows the other mark as it is now, also where that is the one that was seen', () => {
    const at = world()
    at.put('1', 12, 10)
    for (const score of [17, 10]) at.queue.reconcile('a', [{ student_id: '1', score, status: null, remarks: null }])
    expect(at.queue.get('a', '1')).toMatchObject({ state: 'conflict', theirs: 10 })
  })

  test('the last typed mark is saved and the queue is emptied, whatever the network does', async () => {
    // Null deletes a mark.
    const value = fc.option(fc.integer({ min: 0, max: 20 }), { freq: 4 })
    const event = fc.oneof(
      fc.record({ does: fc.constant('type' as const), student: fc.constantFrom('1', '2', '3'), value }),
      fc.record({ does: fc.constant('line' as const), request: fc.boolean(), reply: fc.boolean(), breaksAfterRead: fc.boolean() }),
      fc.record({ does: fc.constant('turn' as const) }),
    )
    const line = (request: boolean, reply: boolean, breaksAfterRead: boolean) => ({
      does: 'line' as const,
      request,
      reply,
      breaksAfterRead,
    })
    const type = (value: number) => ({ does: 'type' as const, student: '2' as const, value })
    const turn = { does: 'turn' as const }
    /** The comparison shows that a mark without a reply was saved, although the next request fails. */
    const brokenAfterRead = [type(4), line(true, false, false), turn, type(5), line(true, true, true), turn]
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        const at = world()
        const last = new Map<string, number | null>()
        for (const each of events) {
          if (each.does === 'type') {
            at.put(each.student, each.value, at.score('a', each.student) ?? null)
            last.set(each.student, each.value)
          } else if (each.does === 'line') Object.assign(at.line, each)
          else await at.turn(1)
        }
        Object.assign(at.line, { request: true, reply: true, breaksAfterRead: false })
        await at.turn(8)
        expect(at.queue.all()).toEqual([])
        for (const [student, value] of last) expect(at.score('a', student) ?? null).toBe(value)
        expect(at.most.atOnce).toBeLessThanOrEqual(1)
      }),
      { numRuns: 200, examples: [[brokenAfterRead]] },
    )
  })
})
