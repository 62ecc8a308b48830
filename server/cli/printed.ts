import { format } from 'node:util'

/** What moves a cursor, colours, rings or turns the direction; line breaks and tabs are what texts are laid out with. */
const COMMANDS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * A text as it may be printed: names and messages of other computers and files tell a terminal nothing. What would is written as an escape,
 * which in JSON means the same.
 */
export const printed = (text: string): string => text.replace(COMMANDS, escaped)

/** From now on everything that is printed goes through `printed`, whoever prints it. */
export function printNoCommands(to: Pick<Console, 'log' | 'warn' | 'error'> = console): void {
  for (const way of ['log', 'warn', 'error'] as const) {
    const print = to[way].bind(to)
    to[way] = (...values: unknown[]) => print(printed(format(...values)))
  }
}
