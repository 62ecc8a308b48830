/** Big- and little-endian numbers out of bytes, and the other way; reading past the end throws, as of a picture that was cut off. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

export const asciiAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, Math.min(at + length, bytes.length)))

export const isAsciiAt = (bytes: Uint8Array, at: number, text: string): boolean => asciiAt(bytes, at, text.length) === text
