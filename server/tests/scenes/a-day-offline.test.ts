import { englishExam, zoe } from '@markbook/shared/story/marks'
import { class3B, michaelmas } from '@markbook/shared/story/school-year'
import { afterEach, expect, test } from 'vitest'
import { contentsOf } from '../../store/replica/replica.fixtures.ts'
import { signedIn, under } from '../../testing/nodes.ts'
import { type School, school } from '../../testing/school.ts'

const open: School[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

test('a school created at the centre is copied down, works alone for a day, and everything arrives', async () => {
  const centre = await school({ seed: 'centre' })
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  open.push(centre, box)
  const { line, round } = await under(centre, box)
  await round()
  expect(await contentsOf(box.services.store)).toEqual(await contentsOf(centre.services.store))

  line.cut = true
  const ada = await signedIn(box, 'ada')
  const byrne = await signedIn(box, 'byrne')
  await ada.grades.bulk({ body: { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, score: 63 }] } }).catch(() => {})
  await byrne.grades.bulk({ body: { assessmentId: englishExam.id, grades: [{ studentId: zoe.id, score: 64 }] } })
  const generated = await byrne.reports.generate({ body: { studentGroupId: class3B.id, termId: michaelmas.id, reportType: 'term' } })
  expect(generated.reports.length).toBeGreaterThan(0)
  await expect(round()).rejects.toThrow()

  line.cut = false
  await round()
  expect(await contentsOf(centre.services.store)).toEqual(await contentsOf(box.services.store))
  expect(
    (await centre.rows('grade')).find(({ assessment_id, student_id }) => assessment_id === englishExam.id && student_id === zoe.id)?.score,
  ).toBe(64)
})
