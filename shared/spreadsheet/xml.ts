import { SaxesParser } from 'saxes'

/** Limits of the parser's memory; no ordinary part of a workbook comes near them. */
const DEPTH_MAX = 64
const ATTRIBUTES_MAX = 256
/** Bytes parsed at once. */
const PIECE = 65_536

export type Attributes = Readonly<Record<string, string>>

/** Callbacks for the elements of a document, in document order. `text` is all text and CDATA directly before the next tag. */
export type XmlHandlers = {
  open?(name: string, attributes: Attributes): void
  close?(name: string): void
  text?(text: string): void
}

/**
 * Parses XML in UTF-8 in one pass, in linear time. Entities other than XML's own are errors, so nothing expands. Names are passed without
 * the prefix of the root element, since some programs write `<x:row>` for `<row>`. Throws a plain Error where the XML is not well-formed,
 * and rethrows the errors of handlers.
 */
export function parseXml(bytes: Uint8Array, handlers: XmlHandlers): void {
  const parser = new SaxesParser({ position: false })
  let depth = 0
  let attributes = 0
  let prefix: string | null = null
  const nameOf = (name: string) => {
    prefix ??= name.includes(':') ? name.slice(0, name.indexOf(':') + 1) : ''
    return prefix !== '' && name.startsWith(prefix) ? name.slice(prefix.length) : name
  }
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentagstart', () => {
    depth += 1
    attributes = 0
    if (depth > DEPTH_MAX) throw new Error('elements are nested too deeply')
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > ATTRIBUTES_MAX) throw new Error('an element has too many attributes')
  })
  parser.on('opentag', ({ name, attributes }) => handlers.open?.(nameOf(name), attributes as Attributes))
  parser.on('closetag', ({ name }) => {
    depth -= 1
    handlers.close?.(nameOf(name))
  })
  if (handlers.text) {
    parser.on('text', handlers.text)
    parser.on('cdata', handlers.text)
  }
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < bytes.length; at += PIECE) parser.write(decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }))
  parser.write(decoder.decode()).close()
}
