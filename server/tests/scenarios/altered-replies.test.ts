import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, describe, expect, test } from 'vitest'
import { statusOf } from '../../features/replication/status.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { headersOf } from '../../replication/line/headers.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { refusalIn } from '../../replication/line/parent-line.ts'
import { meaningOf } from '../../replication/parent-driver.ts'
import { startReplication } from '../../replication/replication.ts'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** A proxy that does something with the replies at a path. */
const proxy =
  (carry: Carrier, at: string, alter: (response: Response, request: Request) => Response | Promise<Response>): Carrier =>
  async (request) => {
    const response = await carry(request.clone())
    return new URL(request.url).pathname === at ? alter(response, request) : response
  }
const withText = async (response: Response, change: (text: string) => string) => new Response(change(await response.text()), response)
const scoreAt = async (node: School) =>
  (await node.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === mathsExam.id && student_id === zoe.id)?.score
/** A school with the mark of a centre on its way, what it holds of the centre, and all its rows. */
async function withNews() {
  const { centre, box, link } = await centreAndSchool(open)
  await (await signedIn(centre, 'ada')).grades.bulk({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score: 43.25 }] } })
  const held = async () => ({
    parent: await box.services.store.read(asSystem(), async (tx) => (await parentsOf(tx))[0]),
    rows: await contentsOf(box.services.store),
  })
  return { centre, box, link, held }
}
const notBelieved = { code: 'sync.not_authentic', message: expect.stringMatching(/was not authentic/) }

describe('a reply that was altered on the line is trouble of the line', () => {
  test('a mark in a page that comes down', async () => {
    const { centre, box, link, held } = await withNews()
    const before = await held()
    const altering = proxy(carrierTo(centre), '/sync/pull', (response) => withText(response, (text) => text.replaceAll('43.25', '99.75')))
    await expect(makeRound(box, altering)).rejects.toMatchObject(notBelieved)
    const after = await held()
    expect(after.rows).toEqual(before.rows)
    expect(after.parent?.their_cursor).toEqual(before.parent?.their_cursor)
    await link.round()
    expect(await scoreAt(box)).toBe(43.25)
  })

  test.each([
    [403, 'sync.revoked'],
    [401, 'sync.unknown_node'],
    [426, 'sync.upgrade_needed'],
    [409, 'sync.stale_session'],
  ] as const)('a forged refusal: %i %s', async (status, code) => {
    const { centre, box, held } = await withNews()
    for (const path of ['/sync/challenge', '/sync/hello', '/sync/pull']) {
      const before = await held()
      const forging = proxy(carrierTo(centre), path, () => Response.json({ statusCode: status, code, message: 'Go away.' }, { status }))
      const failure = await makeRound(box, forging).catch((error: unknown) => error)
      expect(failure).toMatchObject(notBelieved)
      expect(meaningOf(failure)).toBe('line')
      expect((await held()).rows).toEqual(before.rows)
      // The same, signed, is believed.
      expect(meaningOf(refusalIn(new Response(null, { status }), { code }))).not.toBe('line')
    }
  })

  test('a true reply with another status', async () => {
    const { centre, box } = await withNews()
    const refusing = proxy(
      carrierTo(centre),
      '/sync/pull',
      async (response) => new Response(await response.text(), { status: 403, headers: response.headers }),
    )
    await expect(makeRound(box, refusing)).rejects.toMatchObject(notBelieved)
  })

  test.each(['/sync/challenge', '/sync/hello', '/sync/pull'])(
    'a true refusal of somebody else, in whose name a request came: %s',
    async (path) => {
      const { centre, box } = await withNews()
      const renaming: Carrier = async (request) => {
        const headers = new Headers(request.headers)
        if (new URL(request.url).pathname === path) headers.set(headersOf.peer, '01900000-0000-7000-8000-00000000abcd')
        return carrierTo(centre)(new Request(request, { headers }))
      }
      await expect(makeRound(box, renaming)).rejects.toMatchObject(notBelieved)
    },
  )

  test.each(['/sync/challenge', '/sync/hello', '/sync/pull'])('a true reply of another request: %s', async (path) => {
    const { centre, box } = await withNews()
    let first: { text: string; response: Response } | null = null
    const repeating = proxy(carrierTo(centre), path, async (response) => {
      const now = { text: await response.text(), response }
      first ??= now
      return new Response(first.text, first.response)
    })
    await makeRound(box, repeating).catch(() => {})
    await expect(makeRound(box, repeating)).rejects.toMatchObject(notBelieved)
  })

  test('a reply of a server that is none of Markbook, or an older one, says what to do', async () => {
    const { box } = await withNews()
    const older: Carrier = async () => Response.json({ statusCode: 404, code: 'no_such_path', message: 'x' }, { status: 404 })
    await expect(makeRound(box, older)).rejects.toMatchObject({
      code: 'sync.not_authentic',
      message: expect.stringMatching(/must be updated; nothing is lost/),
    })
  })

  test('a server that does not know itself by that name says what to do', async () => {
    const { box } = await withNews()
    const misdirected: Carrier = async () => Response.json({ statusCode: 421, code: 'misdirected_request', message: 'x' }, { status: 421 })
    await expect(makeRound(box, misdirected)).rejects.toMatchObject({
      code: 'sync.not_authentic',
      message: expect.stringMatching(/does not know itself by that name.*ALLOWED_HOSTS/),
    })
  })

  test('a server that is too busy to sign is busy, and nothing else', async () => {
    const { box } = await withNews()
    for (const status of [502, 503, 429])
      await expect(makeRound(box, async () => new Response('busy', { status }))).rejects.toMatchObject({
        code: 'line',
        message: expect.stringMatching(/is busy/),
      })
  })

  test('is said in the status, until a true one comes', async () => {
    const { centre, box } = await withNews()
    let isAltering = true
    const altering = proxy(carrierTo(centre), '/sync/pull', (response) =>
      isAltering ? withText(response, (text) => `${text} `) : response,
    )
    const replication = await startReplication(box.services, altering)
    const status = () => box.services.store.read(asSystem(), (tx) => statusOf(tx, stBrigids, replication.course()))
    try {
      await expect
        .poll(async () => (await status()).sentence, { timeout: 10_000 })
        .toMatch(/was not authentic, and nothing of it was taken/)
      isAltering = false
      await expect
        .poll(status, { timeout: 20_000 })
        .toMatchObject({ state: 'up_to_date', sentence: expect.not.stringContaining('authentic') })
    } finally {
      await replication.stop()
    }
  })
})
