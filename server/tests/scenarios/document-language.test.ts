import { people, stBrigids } from '@markbook/shared/story/people'
import { draftReport } from '@markbook/shared/story/reports'
import { afterEach, expect, test } from 'vitest'
import { hasPoppler, textOfPdf } from '../../documents/drawing/pdf-text.fixtures.ts'
import { centreAndSchool, laptopOf } from '../../testing/joined.ts'
import { signedIn } from '../../testing/nodes.ts'
import type { School } from '../../testing/school.ts'
import { conflictsAt, same, settle } from './scenarios.fixtures.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const schoolAt = async (node: School) => (await node.rows('school')).find(({ id }) => id === stBrigids)

test('the language of documents that a head chooses at school prints at the centre and on a laptop too', async () => {
  const { centre, box, link: up } = await centreAndSchool(open)
  const { laptop, link } = await laptopOf(open, box, people.byrne.id)
  await (await signedIn(box, 'okafor')).schools.updateMine({ body: { documentLanguage: 'fr' } })
  await settle(link, up, link)
  for (const node of [centre, box, laptop]) expect(await schoolAt(node)).toMatchObject({ document_language: 'fr' })
  const byrne = await signedIn(laptop, 'byrne')
  const params = { id: draftReport.id }
  const { id: pdfId } = await byrne.reportFiles.generatePdf({ params })
  if (hasPoppler)
    expect(textOfPdf((await byrne.reportFiles.downloadPdf({ params: { ...params, pdfId } })) as Uint8Array)).toContain('Professeur')
})

test('a language and a telephone number that are changed at once, at school and at the centre, both stand', async () => {
  const { centre, box, link: up } = await centreAndSchool(open)
  await (await signedIn(box, 'okafor')).schools.updateMine({ body: { documentLanguage: 'ar' } })
  await (await signedIn(centre, 'okafor')).schools.updateMine({ body: { phone: '045 9' } })
  await settle(up)
  for (const node of [centre, box]) {
    expect(await schoolAt(node)).toMatchObject({ document_language: 'ar', phone: '045 9' })
    expect(await conflictsAt(node)).toEqual([])
  }
  const [here, there] = await same(box, centre)
  expect(here).toEqual(there)
})
