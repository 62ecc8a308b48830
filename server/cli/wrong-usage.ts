import { CommanderError } from 'commander'
import { harmless } from './table.ts'

/** What is wrong with what was typed, seen only after the database was asked: the program ends with 2 and this line, as where the parser sees it. */
export const wrongUsage = (message: string): CommanderError => new CommanderError(2, 'markbook.usage', harmless(message))
