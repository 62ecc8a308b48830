/**
 * A ref that keeps the height of its element, with a `gap` in CSS, in a property of the document, as long as the element has one: for what
 * must not be covered by it.
 */
export const heightIn =
  (property: `--${string}`, gap = '0px') =>
  (element: HTMLElement | null): (() => void) | undefined => {
    if (!element) return
    const { style } = document.documentElement
    const measure = () => {
      const { height } = element.getBoundingClientRect()
      if (height > 0) style.setProperty(property, `calc(${Math.ceil(height)}px + ${gap})`)
      else style.removeProperty(property)
    }
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    return () => {
      sizes.disconnect()
      style.removeProperty(property)
    }
  }
