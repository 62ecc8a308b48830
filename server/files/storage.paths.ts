const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/

/** Paths are made by the server: one that leaves its bucket is a mistake of the program. */
export function checkPath(path: string): void {
  const segments = path.split('/')
  if (path.length > 400 || !segments.every((segment) => SEGMENT.test(segment) && !segment.endsWith('.')))
    throw new Error(`not a path of an object: ${JSON.stringify(path)}`)
}
