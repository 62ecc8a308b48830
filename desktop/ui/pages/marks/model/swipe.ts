type Point = { x: number; y: number }

/** A shorter move is a press, and one that is less horizontal is a scroll. */
const LEAST_PX = 48
const SIDEWAYS = 2

/** The step between assessments for a swipe from one point to another, 1 for the next and -1 for the former; null for no swipe. */
export function swipeStep(from: Point, to: Point, isRightToLeft: boolean): 1 | -1 | null {
  const [across, down] = [to.x - from.x, to.y - from.y]
  if (Math.abs(across) < LEAST_PX || Math.abs(across) < SIDEWAYS * Math.abs(down)) return null
  return across < 0 === isRightToLeft ? -1 : 1
}
