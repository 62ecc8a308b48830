type Point = { x: number; y: number }

/** So far at least, and so much more sideways than up or down: else it is a press or a scroll. */
const LEAST_PX = 48
const SIDEWAYS = 2

/** The step between assessments that a finger means which went from one point to another: the page is pushed as it is read. Null for none. */
export function swipeStep(from: Point, to: Point, isRightToLeft: boolean): 1 | -1 | null {
  const [across, down] = [to.x - from.x, to.y - from.y]
  if (Math.abs(across) < LEAST_PX || Math.abs(across) < SIDEWAYS * Math.abs(down)) return null
  return across < 0 === isRightToLeft ? -1 : 1
}
