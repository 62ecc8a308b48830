import { expect, test } from 'vitest'
import { enlarged, fitColumns, narrowMetrics, wideMetrics, widenFewColumns } from './grid-context.ts'

const FIGURES = 4

test.each([
  // Beside the panel of a PC of 1366: three columns are as wide as lets all three be seen.
  [widenFewColumns(wideMetrics, 3), 3, 698, 74],
  // Without it they fit.
  [widenFewColumns(wideMetrics, 3), 3, 1_098, 116],
  // Of ten some are seen, each of them whole.
  [wideMetrics, 10, 698, 74],
  // Where there is room for none, the names take less, so that one is seen.
  [wideMetrics, 10, 500, 70],
  // Still for none: they are pushed under the figures.
  [wideMetrics, 10, 470, 78],
  [narrowMetrics, 3, 366, 81],
  [narrowMetrics, 3, 336, 107],
  [narrowMetrics, 2, 366, 84],
  // With text twice as large, one that is twice as wide, beside the names.
  [enlarged(narrowMetrics, 2), 3, 366, 156],
  [enlarged(narrowMetrics, 2), 3, 336, 156],
])('%j, %i columns, in %i pixels', (sizes, columns, width, column) => {
  expect(fitColumns(sizes, columns, FIGURES, width).column).toBe(column)
})

test('names take no less than a column needs', () => {
  const nameIn = (width: number) => fitColumns(wideMetrics, 10, FIGURES, width).name
  expect([698, 545, 540, 480, 479].map(nameIn)).toEqual([184, 184, 179, 119, 118])
})
