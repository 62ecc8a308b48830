import { COMMONS, naturalId } from '@markbook/shared/ids'
import { mathsExam, zoe } from '@markbook/shared/story/marks'
import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { and, asc, eq } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { form, pdfOf } from '../../features/reports/files/files.fixtures.ts'
import type { Bucket } from '../../files/storage.ts'
import { asSystem } from '../../store/tx.ts'
import { centreAndSchool } from '../../testing/joined.ts'
import { carrierTo, signedIn } from '../../testing/nodes.ts'
import { png } from '../../testing/pictures.ts'
import { type School, school } from '../../testing/school.ts'
import { keepOnS3 } from '../../testing/storage.ts'
import { tamper } from '../../testing/tamper.ts'
import { askedAbove, auditOf, chainAnew, wrongIn } from './audit.fixtures.ts'
import { copiesIn } from './copies.fixtures.ts'
import { settle } from './scenarios.fixtures.ts'

const open: School[] = []
const stops: (() => Promise<void>)[] = []
const { imageOf, startedFrom, forget } = copiesIn(open)
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  for (const stop of stops.splice(0)) await stop()
  await forget()
})

const zoes = naturalId('grade', mathsExam.id, zoe.id)
async function alone(): Promise<School> {
  const st = await school()
  open.push(st)
  return st
}
async function enter(node: School, score: number): Promise<void> {
  node.clock.advance(60_000)
  const body = { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] }
  await (await signedIn(node, 'okafor')).grades.bulk({ body })
}

test('a mark that was changed in the database is contradicted', async () => {
  const st = await alone()
  await tamper(st.database, (at) => `update ${at('grade')} set score = 97 where id = '${zoes}'`)
  expect(wrongIn(await auditOf(st))).toEqual(['grade other'])
})

describe('a change between two others that was taken out of the history, with a chain that was computed anew', () => {
  const takeOutSecond = async (node: School) => {
    const [, second] = await node.services.store.read(asSystem(), (tx) => {
      const { history } = tx.t
      const of = and(eq(history.row_id, zoes), eq(history.actor_id, people.okafor.id))
      return tx.db.select({ id: history.id, seq: history.seq }).from(history).where(of).orderBy(asc(history.seq))
    })
    await tamper(node.database, (at) => `delete from ${at('history')} where id = '${second?.id}'`)
    await chainAnew(node)
    return second
  }

  test('is missed where the school is alone', async () => {
    const st = await alone()
    for (const score of [63, 90, 64]) await enter(st, score)
    expect(wrongIn(await auditOf(st))).toEqual([])
    await takeOutSecond(st)
    // No mark tells of it: what stands is what was written last.
    expect(wrongIn(await auditOf(st))).toEqual(['chain'])
  })

  test('is missed by the server above', async () => {
    const { centre, box, link } = await centreAndSchool(open)
    for (const score of [63, 90, 64]) await enter(box, score)
    await settle(link)
    await takeOutSecond(box)
    expect(await askedAbove(box, carrierTo(centre))).toBe('other')
  })
})

test('a database that was put back is another one than the server above knows', async () => {
  const { centre, box, link } = await centreAndSchool(open)
  const yesterday = await imageOf(box)
  await enter(box, 63)
  await settle(link)
  await box.close()
  expect(await askedAbove(await startedFrom(yesterday, 'back'), carrierTo(centre))).toBe('other')
})

describe.each(['disk', 'S3'])('a file on %s', (where) => {
  async function filed() {
    const st = await alone()
    if (where === 'S3') stops.push(await keepOnS3(st))
    const picture = () => {
      const body = new FormData()
      body.set('file', new File([png()], 'me.png', { type: 'image/png' }))
      return body
    }
    await st.as.byrne.avatars.upload({ body: picture() })
    await st.as.okafor.schools.putCrest({ body: picture() })
    await st.as.byrne.reportFiles.uploadPdf({ params: draftReport, body: form(pdfOf('as it was signed')) })
    const ofClass = { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term', fileType: 'csv' } as const
    await st.as.byrne.reportFiles.generateClassFile({ body: ofClass })
    return st
  }
  const lying = async ({ services: { files } }: School, bucket: Bucket, part: string) => {
    const found = (await files.list(bucket, { prefix: '', limit: 99 })).find(({ path }) => path.includes(part))
    if (!found) throw new Error(`nothing lies at ${part}`)
    return found
  }

  test.each([
    ['avatar', 'images', 'avatars/', COMMONS, 'user_profile'],
    ['crest', 'images', 'crests/', stBrigids, 'school'],
    ['PDF of a report', 'report-books', draftReport.id, stBrigids, 'report_book_pdf'],
    ['file of a class', 'report-books', 'classes/', stBrigids, 'class_report_file'],
  ] as const)('%s: another content in its place is found, whatever its description says', async (_what, bucket, part, scope, entity) => {
    const st = await filed()
    const { files } = st.services
    const before = await auditOf(st, scope)
    expect(wrongIn(before)).toEqual([])
    const { path, contentType, size } = await lying(st, bucket, part)
    const other = Buffer.alloc(size, 'x')
    await files.put(bucket, path, other, { contentType, overwrite: true })
    const found = await auditOf(st, scope)
    expect(wrongIn(found)).toEqual([`${entity} swapped`])
    expect(found.files).toEqual({ ...before.files, same: before.files.same - 1, swapped: 1 })
    await files.remove(bucket, path)
    const gone = await auditOf(st, scope)
    expect([wrongIn(gone), gone.files.absent]).toEqual([[], 1])
  })
})
