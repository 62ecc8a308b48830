import { describe, expect, test } from 'vitest'
import { bodyOf, type Former, LATER, LEAVES, NO_CLASS, placements, proposed, storedChoices } from './roll-over-plan.ts'

const pupils = (...ids: string[]) => ids.map((id) => ({ id, name: id }))
const former: Former[] = [
  { id: '2B', name: '2B', pupils: pupils('p', 'q'), placed: 0 },
  { id: '3A', name: '3A', pupils: pupils('a', 'b', 'c'), placed: 0 },
  { id: '3B', name: '3B', pupils: pupils('x', 'y'), placed: 0 },
  { id: 'old', name: '6A', pupils: [], placed: 5 },
  { id: NO_CLASS, name: '', pupils: pupils('new'), placed: 0 },
]
const start = proposed(former, [])
const sent = (change: Partial<typeof start>, existing: { id: string; name: string }[] = []) =>
  bodyOf(former, { ...start, ...change }, existing).body

describe('the plan of a roll-over', () => {
  test('proposes the next class for each class; an empty one and pupils without a class go nowhere', () => {
    expect(sent({})).toEqual({
      classes: [
        { name: '3B', fromClassId: '2B', studentIds: ['p', 'q'] },
        { name: '4A', fromClassId: '3A', studentIds: ['a', 'b', 'c'] },
        { name: '4B', fromClassId: '3B', studentIds: ['x', 'y'] },
      ],
    })
  })

  test('a repeating pupil joins the class below, a leaving one is named, a new one is placed', () => {
    const body = sent({ pupils: { x: 'new 2B', b: LEAVES, new: 'new 3A' } })
    expect(body.classes[0]).toEqual({ name: '3B', fromClassId: '2B', studentIds: ['p', 'q'], otherStudentIds: ['x'] })
    expect(body.classes[1]).toEqual({ name: '4A', fromClassId: '3A', studentIds: ['a', 'c'], otherStudentIds: ['new'] })
    expect(body.leavingStudentIds).toEqual(['b'])
    expect(sent({ pupils: { b: LEAVES }, makesInactive: false }).leavingStudentIds).toBeUndefined()
  })

  test('a repeating pupil is one in the class with the name of their former one', () => {
    const choices = { ...start, pupils: { x: 'new 2B', b: LEAVES, new: 'new 2B' } }
    const repeating = (chosen: typeof start, existing: { id: string; name: string }[]) =>
      placements(former, chosen, existing).flatMap(({ pupil, repeats }) => (repeats ? [pupil.id] : []))
    expect(repeating(choices, [])).toEqual(['x'])
    expect(repeating({ ...start, pupils: { a: 'id of 3A' } }, [{ id: 'id of 3A', name: '3A' }])).toEqual(['a'])
    expect(repeating(start, [])).toEqual([])
  })

  test('the pupils of a divided class are shared in order; a joined class has two sources', () => {
    const split = sent({ goes: { ...start.goes, '3A': ['new 3A', 'new 3B'] } })
    expect(split.classes.slice(1)).toEqual([
      { name: '4A', fromClassId: '3A', studentIds: ['a', 'b'] },
      { name: '4B', fromClassId: '3A', alsoFromClassIds: ['3B'], studentIds: ['c', 'x', 'y'] },
    ])
  })

  test('a second run puts forgotten pupils into the existing class', () => {
    const existing = [{ id: 'id of 4B', name: '4B' }]
    const late = [{ id: '3B', name: '3B', pupils: pupils('y'), placed: 1 }]
    expect(bodyOf(late, proposed(late, existing), existing).body).toEqual({
      classes: [{ intoClassId: 'id of 4B', otherStudentIds: ['y'] }],
    })
  })

  test('pupils whose destination was deleted have no place', () => {
    const gone = placements(former, { ...start, pupils: { x: 'id of a class that is no more' } }, [])
    expect(gone.find(({ pupil }) => pupil.id === 'x')).toMatchObject({ to: LATER, isException: true })
    expect(gone.filter(({ isException }) => isException)).toHaveLength(1)
  })

  test.each(['', '{', '[]', '{"targets":1}', null])('%j is not read as stored choices', (text) => {
    expect(storedChoices(text)).toBeNull()
  })
  test('stored choices are read unchanged', () => {
    expect(storedChoices(JSON.stringify(start))).toEqual(start)
  })
  test('choices stored by an older version take the categories and no scale', () => {
    const { takesCategories: _, takesScale: __, ...old } = start
    expect(storedChoices(JSON.stringify(old))).toMatchObject({ takesCategories: true, takesScale: false })
  })
})
