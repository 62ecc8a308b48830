import type { Keyring } from '../keyring/keyring.ts'

/** A keyring for tests. `asked`: the calls, in order. While it is `silent` it stores and answers nothing. */
export type MemoryKeyring = Keyring & { kept: Map<string, string>; asked: string[]; silent: boolean }

export function memoryKeyring(): MemoryKeyring {
  const kept = new Map<string, string>()
  const keyring: MemoryKeyring = {
    kept,
    asked: [],
    silent: false,
    async read(name) {
      keyring.asked.push(`read ${name}`)
      if (keyring.silent) return { state: 'silent', why: 'it is locked' }
      const secret = kept.get(name)
      return secret === undefined ? { state: 'absent' } : { state: 'found', secret }
    },
    async write(name, secret) {
      keyring.asked.push(`write ${name}`)
      if (!keyring.silent) kept.set(name, secret)
      return !keyring.silent
    },
    async remove(name) {
      keyring.asked.push(`remove ${name}`)
      return !keyring.silent && kept.delete(name)
    },
  }
  return keyring
}
