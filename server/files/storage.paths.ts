const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

export const isPath = (path: string): boolean =>
  path.length <= 400 && path.split('/').every((segment) => SEGMENT.test(segment) && !segment.endsWith('.'))

/** Paths are made by the server: one that leaves its bucket is a mistake of the program. */
export function checkPath(path: string): void {
  if (!isPath(path)) throw new Error(`not a path of an object: ${JSON.stringify(path)}`)
}
