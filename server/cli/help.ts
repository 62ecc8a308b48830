import { type Command, CommanderError } from 'commander'
import { harmless } from './table.ts'

/** What a command's help says after its options. `exits`: when it ends with which code; 2 is wrong usage everywhere. */
type Help = { about?: string; examples: readonly string[]; note?: string; exits: Record<0 | 1, string> & { 3?: string } }

/** A command with its help; `afterAll`: the help of its own commands ends with the same. */
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

/** What is wrong with what was typed, seen only after the database was asked: the program ends with 2 and this line, as where the parser sees it. */
export const wrongUsage = (message: string): CommanderError => new CommanderError(2, 'markbook.usage', harmless(message))
