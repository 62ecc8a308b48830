/** The size of text for which the sizes of the grid are made, px. */
const TEXT_PX = 15

let known: number | undefined

/** How much larger text is than that: who sees badly sets their browser or telephone to larger text, and it stays inside its cells. */
export function textScale(): number {
  known ??= Math.max(1, measure() / TEXT_PX)
  return known
}

/** A browser enlarges text without changing what its style says, so a line of it is measured. */
function measure(): number {
  const line = document.createElement('div')
  line.style.cssText = 'position: absolute; visibility: hidden; font-size: 1rem; line-height: 1'
  line.textContent = '0'
  document.body.append(line)
  const { height } = line.getBoundingClientRect()
  line.remove()
  return height
}

export function listenToTextScale(listener: () => void): () => void {
  const measureAgain = () => {
    known = undefined
    listener()
  }
  addEventListener('resize', measureAgain)
  return () => removeEventListener('resize', measureAgain)
}
