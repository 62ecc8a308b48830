import type { Canvas } from './canvas.ts'

/**
 * A block of the page flow: `height` in points; drawn with its top at `top`. Above rows, the head of their table is repeated on every
 * page.
 */
export type Block = { height: number; draw: (canvas: Canvas, top: number) => void; isRow?: boolean }
export type PlacedBlock = { block: Block; top: number }

/**
 * Blocks from top to bottom, and `closing` at the foot of the last page. A block is not split where a page can hold it. `top` and `bottom`
 * bound every page; `first` is the top of the first page.
 */
export type Flow = { blocks: readonly Block[]; closing: readonly Block[]; head: Block | null; first: number; top: number; bottom: number }

export const heightOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { height }) => sum + height, 0)

/** A tolerance, so that rounding errors do not break a page that is exactly full. */
const SLACK = 0.01

export function flow({ blocks, closing, head, first, top, bottom }: Flow): PlacedBlock[][] {
  const pages: PlacedBlock[][] = [[]]
  let y = first
  const put = (block: Block) => {
    pages.at(-1)?.push({ block, top: y })
    y += block.height
  }
  const newPage = () => {
    pages.push([])
    y = top
  }
  let inTable = false
  for (const block of blocks) {
    const opens = Boolean(block.isRow) && !inTable
    const needed = block.height + (opens && head ? head.height : 0)
    if (y + needed > bottom + SLACK && y > top) {
      newPage()
      inTable = false
    }
    if (block.isRow && !inTable && head) put(head)
    inTable = Boolean(block.isRow)
    put(block)
  }
  if (y + heightOf(closing) > bottom + SLACK) newPage()
  y = Math.max(y, bottom - heightOf(closing))
  for (const block of closing) put(block)
  return pages
}
