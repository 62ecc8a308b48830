import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GridSelection } from './selection.ts'

const COLUMNS = 5
const position = fc.record({ row: fc.integer({ min: -1, max: 4 }), col: fc.integer({ min: 0, max: COLUMNS - 1 }) })
const edit = { text: '', typed: '', caret: false, seen: null, staysOpen: false }
const step = fc.oneof(
  fc.record({ is: fc.constant('move' as const), at: position, extends: fc.boolean() }),
  fc.record({ is: fc.constant('range' as const), at: position, to: position }),
  fc.record({ is: fc.constant('edit' as const), opens: fc.boolean() }),
  fc.record({ is: fc.constant('focus' as const), has: fc.boolean() }),
)

test('the value for a row changes whenever the mode of one of its cells does', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const selection = new GridSelection()
      const seen = () =>
        [-1, 0, 1, 2, 3, 4].map((row) => ({
          row: selection.inRow(row),
          modes: Array.from({ length: COLUMNS }, (_, col) => selection.modeOf(row, col)),
        }))
      let before = seen()
      for (const one of steps) {
        if (one.is === 'move') selection.moveTo(one.at, { extends: one.extends })
        else if (one.is === 'range') selection.selectRange(one.at, one.to)
        else if (one.is === 'edit') selection.setEdit(one.opens ? { ...edit } : null)
        else selection.setFocused(one.has)
        const now = seen()
        for (const [at, { row, modes }] of now.entries()) if (row === before[at]?.row) expect(modes).toEqual(before[at].modes)
        before = now
      }
    }),
  )
})
