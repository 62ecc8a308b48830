import { afterAll, beforeAll, expect, test } from 'vitest'
import { type School, school } from '../../testing/school.ts'

let st: School
beforeAll(async () => {
  st = await school()
})
afterAll(() => st.close())

const passFail = {
  passMark: 40,
  bands: [
    { letter: 'P', minimum: 40, remark: 'Passed' },
    { letter: 'N', minimum: 0, remark: 'Not yet' },
  ],
}

test('a school starts with the default scale, which a member may read', async () => {
  const scale = await st.as.niamh.gradingScale.get()
  expect(scale.pass_mark).toBe(50)
  expect(scale.bands.map(({ letter, minimum }) => `${letter}${minimum}`)).toEqual(['A+90', 'A80', 'B70', 'C60', 'D50', 'F0'])
})

test('an administrator replaces it, twice, and the neighbour keeps the default', async () => {
  await st.as.okafor.gradingScale.put({ body: passFail })
  await st.as.okafor.gradingScale.put({ body: { ...passFail, passMark: 45 } })
  expect(await st.as.ada.gradingScale.get()).toEqual({ pass_mark: 45, bands: passFail.bands })
  expect((await st.as.marker.gradingScale.get()).pass_mark).toBe(50)
  expect(await st.rows('grading_scale')).toHaveLength(1)
})

test.each([
  [
    'minimums that do not fall',
    [
      { letter: 'A', minimum: 50, remark: '' },
      { letter: 'B', minimum: 50, remark: '' },
      { letter: 'C', minimum: 0, remark: '' },
    ],
  ],
  ['a last band above 0', [{ letter: 'A', minimum: 50, remark: '' }]],
  ['no bands', []],
])('400 for %s', async (_what, bands) => {
  const { status } = await st.as.okafor.gradingScale.put.raw({ body: { passMark: 50, bands } })
  expect(status).toBe(400)
})

test('403 for a teacher', async () => {
  await expect(st.as.byrne.gradingScale.put({ body: passFail })).rejects.toMatchObject({ status: 403 })
})
