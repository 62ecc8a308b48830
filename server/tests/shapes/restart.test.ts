import { wanderer } from '@markbook/shared/story/marks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Box, openBox, until } from '../../testing/shapes.ts'

let box: Box
beforeEach(async () => {
  box = await openBox()
})
afterEach(() => box.close())

const rename = (firstName: string) => box.as('okafor').students.update({ params: { id: wanderer.id }, body: { firstName } })

test('a restart of the server is only a pause: the reader goes on where they were', async () => {
  const follower = box.follow('okafor', { table: 'student' })
  await follower.shape.rows
  const name = () => follower.shape.currentRows.find(({ id }) => id === wanderer.id)?.['first_name']
  const began = performance.now()
  await box.stop()
  expect(performance.now() - began).toBeLessThan(8_000)
  await box.start()
  await rename('Robyn')
  await until(() => name() === 'Robyn')
  expect(follower.refetches()).toBe(0)
  expect(follower.refused()).toEqual([])
})

test('after a restore the reader begins anew, and has what the restored database has', async () => {
  const follower = box.follow('okafor', { table: 'student' })
  await follower.shape.rows
  await box.stop()
  const goBack = await box.backUp()
  await box.start()
  const made = await box.as('okafor').students.create({ body: { firstName: 'Una', lastName: 'Daly', gender: 'female' } })
  await rename('Robyn')
  await until(() => follower.ids().includes(made.id))
  await box.stop()
  await goBack()
  await box.start()
  await until(() => follower.refetches() === 1 && follower.shape.currentRows.length > 0, 'the copy')
  expect(follower.ids()).not.toContain(made.id)
  expect(follower.shape.currentRows.find(({ id }) => id === wanderer.id)?.['first_name']).toBe('Robin')
  await rename('Robbie')
  await until(() => follower.shape.currentRows.some(({ first_name }) => first_name === 'Robbie'))
})
