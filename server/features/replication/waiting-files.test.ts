import { draftReport } from '@markbook/shared/story/reports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { enqueueFiles } from '../../replication/files/queue.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { asSystem } from '../../store/tx.ts'
import type { DatabaseName } from '../../testing/database.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { signedIn, type UnderParent } from '../../testing/nodes.ts'
import { refused } from '../../testing/refused.ts'
import type { School } from '../../testing/school.ts'

let centre: School
let box: School
let link: UnderParent
beforeEach(async () => {
  ;({ centre, box, link } = await centreAndSchool([], process.env['TEST_DATABASE'] as DatabaseName))
  await link.files()
})
afterEach(async () => {
  await box.close()
  await centre.close()
})

const report = { id: draftReport.id }
const ofBook = { query: { reportId: draftReport.id } }
const filesAt = async (node: School, asked?: typeof ofBook) => {
  const listed = await (await signedIn(node, 'byrne')).replication.files(asked)
  return listed.map(({ row_id, way }) => [row_id, way])
}

describe('GET /api/sync/files', () => {
  test('lists a PDF that was made offline, by its name, until the parent has it', async () => {
    const { id } = await (await signedIn(box, 'byrne')).reportFiles.generatePdf({ params: report })
    const [parent] = await box.services.store.read(asSystem(), parentsOf)
    await enqueueFiles(box.services, parent?.id ?? '')
    const listed = await (await signedIn(box, 'ada')).replication.files()
    expect(listed).toContainEqual({
      entity: 'report_book_pdf',
      row_id: id,
      where: expect.stringMatching(/ · 3B · Michaelmas · /),
      way: 'to_send',
      tries: 0,
      reason: null,
    })
    expect(await filesAt(box, ofBook)).toContainEqual([id, 'to_send'])
    await link.round()
    await link.files()
    expect((await filesAt(box)).flat()).not.toContain(id)
    expect((await filesAt(box, ofBook)).flat()).not.toContain(id)
  })

  test('lists at the centre a PDF whose row arrived without its file', async () => {
    const { id } = await (await signedIn(box, 'byrne')).reportFiles.generatePdf({ params: report })
    await link.round()
    expect(await filesAt(centre, ofBook)).toContainEqual([id, 'to_come'])
    await link.files()
    expect((await filesAt(centre, ofBook)).flat()).not.toContain(id)
  })

  test('is for staff, and of a book for who may read it', async () => {
    expect(await refused(centre, () => centre.as.niamh.replication.files.raw())).toMatchObject({ status: 403 })
    expect(await refused(centre, () => centre.as.ada.replication.files.raw(ofBook))).toMatchObject({ status: 403 })
    expect(await refused(centre, () => centre.as.marker.replication.files.raw(ofBook))).toMatchObject({ status: 404 })
  })
})
