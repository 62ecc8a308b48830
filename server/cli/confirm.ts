import { createInterface } from 'node:readline/promises'
import { printed } from './printed.ts'

/** Asks a yes or no question, unless `yes` is true. Throws where the answer is no, or where standard input is no terminal. */
export async function confirm(question: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw new Error('There is nobody to ask; add --yes. Nothing was changed.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await terminal.question(printed(`${question} [y/N] `))
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.')
  } finally {
    terminal.close()
  }
}
