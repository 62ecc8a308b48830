import { createInterface } from 'node:readline/promises'

/** Asks a person yes or no; without one, answers with what to add to the command. */
export async function agreed(question: string, refusal: (message: string) => Error): Promise<boolean> {
  if (!process.stdin.isTTY) throw refusal('There is nobody to ask; add --yes. Nothing was changed.')
  const asking = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(?:es)?$/i.test((await asking.question(`${question} [y/N] `)).trim())
  } finally {
    asking.close()
  }
}
