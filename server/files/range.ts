import type { ByteRange } from './storage.ts'

/** Digits of a number that a file's size can be compared with. */
const ONE = /^bytes=(\d{0,15})-(\d{0,15})$/

/**
 * The one range that a Range header asks of `size` bytes; null where the whole is to be sent: no header, several ranges, or something
 * that is no range (RFC 9110 lets a server ignore those).
 */
export function rangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = ONE.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return null
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null
  return first >= size || (from === '' && Number(to) === 0) ? 'unsatisfiable' : { first, last }
}
