import { naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { type Cells, valuesOf } from '@markbook/sync/protocol/cells'
import { Sheet } from '@markbook/sync/protocol/sheet'
import { afterEach, describe, expect, test } from 'vitest'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { centreAndSchool, serverAndLaptop } from '../../testing/joined.ts'
import { carrierTo, makeRound, signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { liar } from './altered.fixtures.ts'

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
  const formOf = (table: object) => (Sheet.safeParse(table).success ? 'sheet' : 'rows')
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

  test('and so does what the parent has of a row that it did not take: a sheet of one', async () => {
    const { server, laptop } = await serverAndLaptop(open)
    await (await signedIn(laptop, 'ada')).grades.bulk(mark(61))
    const asOthers = await (await liar(laptop, server)).says(({ table, state }) => {
      if (table !== 'grade') return []
      const [node = '', counter = 0, hlc = 0] = state.units['score'] ?? []
      return [{ table, state: { ...state, units: { ...state.units, score: [node, counter, hlc, people.okafor.id] } } }]
    })
    expect(asOthers.answers).toMatchObject([{ outcome: 'refused', code: 'not_yours', units: ['score'] }])
    const [theirs] = asOthers.answers.flatMap(({ theirs }) => theirs ?? []) as [Sheet]
    expect(Sheet.safeParse(theirs).success).toBe(true)
    expect(theirs).toMatchObject({ table: 'grade', ids: [naturalId('grade', mathsExam.id, zoe.id)], at: [0] })
    expect(valuesOf(theirs.cells[theirs.columns.indexOf('score')] as Cells)(0)).toBe(await scoreAt(server))
  })
})
