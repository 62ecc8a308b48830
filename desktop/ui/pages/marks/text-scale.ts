/** The text size for which the sizes of the grid are made, in px. */
const TEXT_PX = 15

let known: number | undefined

/** The factor by which text is larger than that, set in the browser or telephone; cells grow with it, so that text stays inside. */
export function textScale(): number {
  known ??= Math.max(1, measure() / TEXT_PX)
  return known
}

/** A browser can enlarge text without changing its computed style, so that a line is measured. */
function measure(): number {
  const line = document.createElement('div')
  line.style.cssText = 'position: absolute; visibility: hidden; font-size: 1rem; line-height: 1'
  line.textContent = '0'
  document.body.append(line)
  const { height } = line.getBoundingClientRect()
  line.remove()
  return height
}

/** Calls the listener when the text size may have changed, until the returned function is called. */
export function listenToTextScale(listener: () => void): () => void {
  const measureAgain = () => {
    known = undefined
    listener()
  }
  addEventListener('resize', measureAgain)
  return () => removeEventListener('resize', measureAgain)
}
