import { createInterface } from 'node:readline/promises'
import { printed } from './printed.ts'

/** Asks a person yes or no, unless `yes` was given. Throws where the answer is no, and where there is nobody to ask. */
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
