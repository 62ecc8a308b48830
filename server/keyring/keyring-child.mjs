// Asks the keyring one thing: a line of JSON on standard input, one on standard output. A program of its own (system.ts).
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Whom the keyring shows to a person as the owner of what is kept. */
const SERVICE = 'Markbook'

const answer = (said) => process.stdout.write(`${JSON.stringify(said)}\n`)

/** In our packages the addon lies beside this file. */
function addon() {
  const require = createRequire(import.meta.url)
  const beside = join(import.meta.dirname, 'keyring.node')
  return existsSync(beside) ? require(beside) : require('@napi-rs/keyring')
}

/** Without a bus there is no Secret Service; asked all the same, its client would start a bus of its own. */
function demandBus() {
  if (process.platform !== 'linux' || process.env.DBUS_SESSION_BUS_ADDRESS) return
  const bus = join(process.env.XDG_RUNTIME_DIR ?? '/nowhere', 'bus')
  if (!existsSync(bus)) throw new Error('nobody is signed in at a desktop')
  process.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${bus}`
}

function entryOf(name) {
  demandBus()
  const { Entry } = addon()
  // Its other store on Linux is the memory of the kernel, which forgets when the computer is switched off.
  return new Entry(SERVICE, `database ${name}`, { linux: { store: 'secret-service' } })
}

const does = {
  read: (entry) => ({ secret: entry.getPassword() }),
  write: (entry, secret) => {
    entry.setPassword(secret)
    return { done: entry.getPassword() === secret }
  },
  remove: (entry) => {
    entry.deletePassword()
    return { done: entry.getPassword() === null }
  },
}

try {
  const asked = JSON.parse(readFileSync(0, 'utf8'))
  answer(does[asked.does](entryOf(asked.name), asked.secret))
} catch (error) {
  answer({ error: String(error.message).split('\n')[0] })
}
