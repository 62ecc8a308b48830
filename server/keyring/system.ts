import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import type { Kept, Keyring } from './keyring.ts'

type KeyringRequest = { does: 'read' | 'write' | 'remove'; name: string; secret?: string }
type Answer = { secret?: string | null; done?: boolean; error?: string }

/** A program of its own asks, because a keyring that waits for a person's password holds up the whole process, and cannot be told to stop. */
const ASKS = [join(import.meta.dirname, 'keyring-child.mjs')]
const NO_ANSWER = 'the keyring does not answer'

/** The keyring of the account that runs this process: Credential Manager, Keychain, or the Secret Service of a Linux desktop. */
export function systemKeyring(program: readonly string[] = ASKS): Keyring {
  const ask = (asked: KeyringRequest, patience: number) => askChild(program, asked, patience)
  return {
    async read(name, patience): Promise<Kept> {
      const { secret, error } = await ask({ does: 'read', name }, patience)
      if (error !== undefined) return { state: 'silent', why: error }
      return typeof secret === 'string' ? { state: 'found', secret } : { state: 'absent' }
    },
    write: async (name, secret) => (await ask({ does: 'write', name, secret }, limits.keyring.timeoutMs)).done === true,
    remove: async (name) => (await ask({ does: 'remove', name }, limits.keyring.timeoutMs)).done === true,
  }
}

/** The secret goes through pipes: a command line and an environment can be read by others. */
function askChild(program: readonly string[], asked: KeyringRequest, patience: number): Promise<Answer> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
    const overdue = setTimeout(() => {
      child.kill('SIGKILL')
      resolve({ error: NO_ANSWER })
    }, patience)
    let said = ''
    child.stdout.on('data', (part) => (said += part))
    child.stdin.on('error', () => {})
    child.once('error', () => resolve({ error: NO_ANSWER }))
    child.once('close', () => {
      clearTimeout(overdue)
      resolve(answerIn(said))
    })
    child.stdin.end(JSON.stringify(asked))
  })
}

function answerIn(said: string): Answer {
  try {
    return JSON.parse(said) as Answer
  } catch {
    return { error: NO_ANSWER }
  }
}
