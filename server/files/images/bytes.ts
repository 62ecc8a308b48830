/** Reads and writes big- and little-endian numbers in bytes. Reading past the end throws a RangeError, as for a truncated picture. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const asciiAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, Math.min(at + length, bytes.length)))

export const beginsWith = (bytes: Uint8Array, text: string): boolean => asciiAt(bytes, 0, text.length) === text
