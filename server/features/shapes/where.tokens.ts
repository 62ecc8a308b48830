export type Token = { readonly kind: 'name' | 'word' | 'text' | 'number' | 'param' | 'sign'; readonly text: string }

const TOKEN = /\s*(?:"((?:[^"]|"")*)"|'((?:[^']|'')*)'|\$(\d{1,3})|(-?\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(<>|!=|<=|>=|::|[=<>(),]))/y

/** The words of a condition; null where something in it is none. */
export function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = []
  const scan = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (scan.lastIndex < end) {
    const match = scan.exec(text)
    if (!match) return null
    tokens.push(tokenOf(match))
  }
  return tokens
}

function tokenOf([, quoted, literal, param, number, word, sign]: RegExpExecArray): Token {
  if (quoted !== undefined) return { kind: 'name', text: quoted.replaceAll('""', '"') }
  if (literal !== undefined) return { kind: 'text', text: literal.replaceAll("''", "'") }
  if (param !== undefined) return { kind: 'param', text: param }
  if (number !== undefined) return { kind: 'number', text: number }
  return word === undefined ? { kind: 'sign', text: sign ?? '' } : { kind: 'word', text: word.toLowerCase() }
}
