/** Throws where two replies differ, other than in the named fields and, in numbers, by a rounding. */
export function demandSame(ours: unknown, control: unknown, except: readonly string[] = [], path = 'reply'): void {
  if (typeof ours === 'number' && typeof control === 'number' && Math.abs(ours - control) < 0.011) return
  if (typeof ours === 'object' && typeof control === 'object' && ours !== null && control !== null) {
    for (const key of new Set([...Object.keys(ours), ...Object.keys(control)])) {
      if (except.includes(key)) continue
      demandSame((ours as Record<string, unknown>)[key], (control as Record<string, unknown>)[key], except, `${path}.${key}`)
    }
    return
  }
  if (ours !== control) throw new Error(`the control answers something else: ${path} is ${String(control)}, not ${String(ours)}`)
}
