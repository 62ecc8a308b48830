/**
 * The field of the same kind in the next row (1) or the former (-1) that can be edited; from the last row the first one of the next kind,
 * as in the mark grid, and back. Null at the end.
 */
function neighbour(rows: HTMLElement, field: HTMLElement, step: 1 | -1): HTMLElement | null {
  const all = [...rows.querySelectorAll<HTMLElement>('[data-field]')].filter(
    (one) => one === field || !one.matches('[readonly], :disabled'),
  )
  const kindOf = (one: HTMLElement) => one.dataset['field'] ?? ''
  const kinds = [...new Set(all.map(kindOf))]
  const downwards = kinds.flatMap((kind) => all.filter((one) => kindOf(one) === kind))
  return downwards[downwards.indexOf(field) + step] ?? null
}

/** Focuses the next field to fill in (1) or the former (-1), with its text selected; false where there is none. */
export function goOn(field: HTMLElement, step: 1 | -1): boolean {
  const rows = field.closest('ol')
  const next = rows && neighbour(rows, field, step)
  next?.focus()
  if (next instanceof HTMLInputElement || next instanceof HTMLTextAreaElement) next.select()
  return !!next
}
