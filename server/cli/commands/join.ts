import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join as joinPath, resolve } from 'node:path'
import { Failure } from '@markbook/shared/failures'
import type { Command } from 'commander'
import { systemKeyring } from '../../keyring/system.ts'
import { readNote } from '../../lan/running-note.ts'
import { isInsecure } from '../../network/addresses.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { authorityFrom, trustAuthority, trustedAuthority } from '../../replication/identity/trust.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { LineFailure } from '../../replication/line/parent-line.ts'
import { joinParent, MaybeJoined } from '../../replication/upstream/join.ts'
import { quickCheckOfSqlite } from '../../store/soundness/quick-check.ts'
import { keyNameOf } from '../../store/sqlite.file.ts'
import { DATABASE_FILE, LOCK_FILE, takeLock } from '../../store/sqlite.ts'
import { asSystem } from '../../store/tx.ts'
import { atConsole } from '../console.ts'
import { addCommand } from '../help.ts'
import { courseOf } from '../replication-status.ts'
import { configureToFill, lookAtConfig } from '../settings/environment.ts'
import { SEALED_SECRET, SECRET } from '../settings/sealed-secret.ts'

export const joinCommand = (program: Command) =>
  addCommand(program, 'join', 'join this server to a centre, or this laptop to its school, with a code from there', {
    about: `A school that started alone brings its rows; an empty one gets those of the school that the code is for.
A server or laptop that was revoked joins again in the same way, and what waited goes up.
A running server notices within seconds and begins to copy; one that is not running does when it is started.
Where the other server has the school's own authority (markbook start --lan), this machine must trust it:
there  markbook cert export --to FOLDER  writes it; bring one of the two files here, and name it with --authority.
Compare the fingerprint that is printed with the one that was printed there.
An address that begins with http:// is taken for this machine alone, or with --insecure.`,
    examples: [
      'markbook join https://markbook.example 7K2QP-3MZ8V-0T4RD-XH6CN-9WYEB-1',
      'markbook join https://192.168.1.10:3000 7K2QP-3MZ8V-0T4RD-XH6CN-9WYEB-1 --laptop --authority markbook-authority.pem',
    ],
    exits: { 0: 'it has joined', 1: 'it was refused, and one clear line says why; nothing was changed' },
  })
    .argument('<address>', 'of the other server: https://markbook.example')
    .argument('<code>', 'from markbook node invite, or from the app there')
    .option('--laptop', 'this machine is a teacher’s laptop, and carries only what that teacher may see')
    .option('--authority <file>', 'trust this authority for the line to the other server: a file of markbook cert export')
    .option('--insecure', 'use plain http to another machine: others on the network can read what is sent')
    .action(join)

const INSECURE =
  'Warning: the line to that server is plain http. Others on the network can read every mark and name that is sent; what they change is noticed, and not taken.'

type Options = { laptop?: boolean; authority?: string; insecure?: boolean }

async function join(typed: string, code: string, { laptop = false, authority: file, insecure = false }: Options) {
  const url = addressOf(typed)
  const authority = file === undefined ? null : authorityIn(resolve(file))
  const before = contentOf(lookAtConfig().dataDir)
  const config = await configureToFill({ isLaptop: laptop })
  if (config.role === 'centre') throw new Error('A central server joins nothing; the servers of schools join it.')
  // Without a database no server can be running here, and the join begins it with the rows of the parent.
  const isThere = quickCheckOfSqlite(config.dataDir).state === 'there'
  await atConsole(
    async (at) => {
      const parents = await at.store.read(asSystem(), parentsOf)
      const [parent] = parents
      const again = parents.find((each) => each.url === url)
      // A revoked node joins the same parent again to be admitted anew. One whose replication works must not: it would be a second node.
      const course = again ? await courseOf(at.store, config.dataDir, at.clock.now()) : null
      const isWell = again?.id === course?.parent?.id && (course?.notice === 'up_to_date' || course?.notice === 'connected')
      const standing = again ? (isWell ? again : null) : laptop ? null : parent
      if (standing)
        throw new Error(`This server has joined ${standing.name} already. Leave that first: markbook node revoke "${standing.name}"`)
      const { parent: joined, school_name } = await joinParent(
        at,
        { url, code, kind: laptop ? 'laptop' : 'school', isBeside: readNote(config.dataDir) !== null, mayBeInsecure: insecure },
        overNetwork(new AbortController().signal, () => authority?.pem ?? trustedAuthority(config.dataDir)),
      )
      if (authority) {
        trustAuthority(config.dataDir, authority)
        console.log(`Trusted for this line, and for nothing else: the authority with the SHA-256 fingerprint\n  ${authority.fingerprint}`)
      }
      if (isInsecure(url)) console.warn(INSECURE)
      console.log(`Joined ${joined.name}, for ${school_name}.`)
      console.log(
        readNote(config.dataDir) ? 'The server here copies now: markbook sync status' : 'Start the server, and it copies: markbook start',
      )
    },
    config,
    isThere,
  ).catch(async (error: unknown) => {
    const isRefused = error instanceof Failure || (error instanceof LineFailure && !(error instanceof MaybeJoined))
    if (isRefused && !before?.includes(DATABASE_FILE)) await removeBegun(config.dataDir, before)
    throw error
  })
}

/** The names in a folder; null where there is no such folder. */
const contentOf = (folder: string): string[] | null => (existsSync(folder) ? readdirSync(folder) : null)

/**
 * Removes the database and the secret that this command made for a join that was refused: the next start would begin a school that nobody
 * wanted. `before`: what was in the folder. Nothing else is removed.
 */
async function removeBegun(dataDir: string, before: readonly string[] | null): Promise<void> {
  const path = joinPath(dataDir, DATABASE_FILE)
  const key = keyNameOf(path)
  const lock = takeLock(joinPath(dataDir, LOCK_FILE))
  // A server was started on it meanwhile.
  if (!lock) return
  const remove = (names: readonly string[]) => {
    for (const name of names.filter((name) => !before?.includes(name))) rmSync(joinPath(dataDir, name), { force: true })
  }
  // The secret goes first: where it is without a database, a start takes the database for lost.
  remove([SECRET, SEALED_SECRET, `${DATABASE_FILE}-wal`, `${DATABASE_FILE}-shm`, DATABASE_FILE])
  lock.close()
  remove([LOCK_FILE])
  if (key !== null) await systemKeyring().remove(key)
  if (before === null && readdirSync(dataDir).length === 0) rmdirSync(dataDir)
}

function authorityIn(path: string) {
  const authority = authorityFrom(readFileSync(path))
  if (authority) return authority
  throw new Error(`${path} is not the certificate of an authority. markbook cert export at the other server writes it.`)
}

function addressOf(typed: string): string {
  const url = URL.canParse(typed) ? new URL(typed) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`${typed} is not an address. Write it like https://markbook.example`)
  return url.origin
}
