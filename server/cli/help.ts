import { type Command, CommanderError } from 'commander'
import { harmless } from './table.ts'

/** The parts of a command's help after its options. `exits`: the meaning of the exit codes; 2 is wrong usage for every command. */
type Help = { about?: string; examples: readonly string[]; note?: string; exits: Record<0 | 1, string> & { 3?: string } }

/** Adds a command with its help; `afterAll`: the help of its subcommands ends with the same text. */
export function addCommand(
  above: Command,
  name: string,
  description: string,
  { about, examples, note, exits }: Help,
  place: 'after' | 'afterAll' = 'after',
): Command {
  const codes = Object.entries({ ...exits, 2: 'wrong usage' }).map(([code, meaning]) => `  ${code}  ${meaning}`)
  const parts = [about, `Examples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`, note, `Exit codes:\n${codes.join('\n')}`]
  return above
    .command(name)
    .description(description)
    .addHelpText(place, `\n${parts.filter((part) => part !== undefined).join('\n\n')}`)
}

/**
 * Wrong usage that can only be seen after a look at the database. The program prints the message and exits with 2, as for errors of the
 * parser.
 */
export const wrongUsage = (message: string): CommanderError => new CommanderError(2, 'markbook.usage', harmless(message))
