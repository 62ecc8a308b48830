import { expect, test } from 'vitest'
import { enlarged, fitColumns, narrowMetrics, wideMetrics, widenFewColumns } from './grid-context.ts'

const FIGURES = 4

test.each([
  // Beside the panel on a PC of 1366 pixels: three columns get narrower, so that all fit.
  [widenFewColumns(wideMetrics, 3), 3, 698, 74],
  // Without the panel they fit unchanged.
  [widenFewColumns(wideMetrics, 3), 3, 1_098, 116],
  // Of ten columns as many are visible as fit whole.
  [wideMetrics, 10, 698, 74],
  // Where not even one would fit, the names get narrower.
  [wideMetrics, 10, 500, 70],
  // Where that is not enough, columns scroll below the figures.
  [wideMetrics, 10, 470, 78],
  [narrowMetrics, 3, 366, 81],
  [narrowMetrics, 3, 336, 107],
  [narrowMetrics, 2, 366, 84],
  // With text of twice the size, columns are twice as wide.
  [enlarged(narrowMetrics, 2), 3, 366, 156],
  [enlarged(narrowMetrics, 2), 3, 336, 156],
])('%j, %i columns, in %i pixels', (sizes, columns, width, column) => {
  expect(fitColumns(sizes, columns, FIGURES, width).column).toBe(column)
})

test('names get no narrower than one column needs', () => {
  const nameIn = (width: number) => fitColumns(wideMetrics, 10, FIGURES, width).name
  expect([698, 545, 540, 480, 479].map(nameIn)).toEqual([184, 184, 179, 119, 118])
})
