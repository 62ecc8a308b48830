import { format } from 'node:util'

/** Characters that control a terminal or change the direction of text; not line breaks and tabs, which texts are laid out with. */
const COMMANDS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * A text whose control characters are escaped, so that names and messages from other computers and files cannot control the terminal. In
 * JSON the escapes have the same meaning.
 */
export const printed = (text: string): string => text.replace(COMMANDS, escaped)

/** Ignores errors of writing the output: a reader such as `head` may end first, and the program, perhaps a server, goes on. */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

/** Makes every later call of `console` escape its text with `printed`. */
export function printNoCommands(to: Pick<Console, 'log' | 'warn' | 'error'> = console): void {
  for (const way of ['log', 'warn', 'error'] as const) {
    const print = to[way].bind(to)
    to[way] = (...values: unknown[]) => print(printed(format(...values)))
  }
}
