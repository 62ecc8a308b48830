import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { afterEach, describe, expect, test } from 'vitest'
import type { Carrier } from '../../peers/parent-line.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { centreAndSchool } from './scenes.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

type Body = { tables?: Record<string, unknown>[]; history?: unknown }
const mark = (score: number) => ({ body: { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] } })
const scoreAt = async (node: School) => (await node.rows('grade')).find(({ id }) => id === naturalId('grade', mathsExam.id, zoe.id))?.score

/** Notes in which form rows and history went each way. */
function listening(parent: School) {
  const carry = carrierTo(parent)
  const heard = { pushed: new Set<string>(), pulled: new Set<string>(), told: new Set<string>() }
  const formOf = (table: object) => ('sheet' in table ? 'sheet' : 'rows')
  const carrier: Carrier = async (request) => {
    const path = new URL(request.url).pathname
    const copy = request.clone()
    const response = await carry(request)
    const answer = (await response.json()) as Body
    if (path === '/sync/pull') for (const table of answer.tables ?? []) heard.pulled.add(formOf(table))
    if (path === '/sync/push') {
      const stream = copy.headers.get('content-encoding') ? copy.body?.pipeThrough(new DecompressionStream('gzip')) : copy.body
      const body = (await new Response(stream as never).json()) as Body
      for (const table of body.tables ?? []) heard.pushed.add(formOf(table))
      heard.told.add(Array.isArray(body.history) ? 'rows' : 'sheet')
    }
    return new Response(JSON.stringify(answer), response)
  }
  return { carrier, heard }
}

describe('rows and history', () => {
  test('go by column, both ways', async () => {
    const { centre, box } = await centreAndSchool(open)
    await (await signedIn(box, 'ada')).grades.bulk(mark(61))
    const { carrier, heard } = listening(centre)
    await makeRound(box, carrier)
    expect(await scoreAt(centre)).toBe(61)
    await (await signedIn(centre, 'okafor')).grades.bulk(mark(62))
    await makeRound(box, carrier)
    expect(await scoreAt(box)).toBe(62)
    expect(heard).toEqual({ pushed: new Set(['sheet']), pulled: new Set(['sheet']), told: new Set(['sheet']) })
  })
})
