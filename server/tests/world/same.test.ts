import { expect, test } from 'vitest'
import { simulate } from './run.ts'

test.skipIf(process.env['TEST_DATABASE'] === 'postgres')('the same seed is the same world', { timeout: 600_000 }, async () => {
  const [first, second] = [await simulate(7, { events: 100, hasStructure: true }), await simulate(7, { events: 100, hasStructure: true })]
  // Of an error what it says: by which calls it came is told in the order of promises, which is not the world's.
  const said = ({ trace }: typeof first) => trace.map((line) => line.split('\n')[0])
  expect(said(second)).toEqual(said(first))
  // What a school adds to its classes is part of it.
  const did = said(first).join('\n')
  const parts = [/newSet .*teaching_set_member/, /(addMember|removeMember|setStudents).*teaching_set_member/, /removeSet .*gone/]
  for (const what of [...parts, /newCategory .*counting/]) expect(did).toMatch(what)
})
