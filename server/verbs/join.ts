import { existsSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import type { Command } from 'commander'
import { parentsOf } from '../peers/enrolment.ts'
import { joinParent } from '../peers/join.ts'
import { overNetwork } from '../peers/network.ts'
import { trustedAuthority } from '../peers/trust.ts'
import { readNote } from '../running.ts'
import { DATABASE_FILE } from '../store/sqlite.ts'
import { asSystem } from '../store/tx.ts'
import { atConsole } from './console.ts'
import { configure } from './environment.ts'

export const joinVerb = (program: Command) =>
  program
    .command('join')
    .description('join this server to a centre, or this laptop to its school, with a code from there')
    .argument('<address>', 'of the other server: https://markbook.example')
    .argument('<code>', 'from markbook node invite, or from the app there')
    .option('--laptop', 'this machine is a teacher’s laptop, and carries only what that teacher may see')
    .addHelpText('after', HELP)
    .action(join)

const HELP = `
A school that started alone brings its rows; an empty one gets those of the school that the code is for.
A running server notices within seconds and begins to copy; one that is not running does when it is started.
Where the other server has the school's own authority (markbook start --lan), this machine must trust it:
save it there with markbook cert export, and set NODE_EXTRA_CA_CERTS to that file here.

Examples:
  $ markbook join https://markbook.example 7K2QP-3MZ8V-0T4RD-XH6CN-9WYEB-1
  $ markbook join https://192.168.1.10:3000 7K2QP-3MZ8V-0T4RD-XH6CN-9WYEB-1 --laptop

Exit codes:
  0  it has joined
  1  it was refused, and one clear line says why; nothing was changed
  2  wrong usage`

async function join(typed: string, code: string, { laptop = false }: { laptop?: boolean }) {
  const url = addressOf(typed)
  const config = configure()
  if (config.databaseUrl) throw new Error('A central server joins nothing; the servers of schools join it.')
  // Without a database there is no server beside which this would be, and the folder begins with what the parent has.
  const isThere = existsSync(joinPath(config.dataDir, DATABASE_FILE))
  await atConsole(
    async (at) => {
      const [parent] = await at.store.read(asSystem(), parentsOf)
      if (parent && !laptop)
        throw new Error(`This server has joined ${parent.name} already. Leave that first: markbook node revoke "${parent.name}"`)
      const { parent: joined, school_name } = await joinParent(
        at,
        { url, code, kind: laptop ? 'laptop' : 'school' },
        overNetwork(new AbortController().signal, () => trustedAuthority(config.dataDir)),
      )
      console.log(`Joined ${joined.name}, for ${school_name}.`)
      console.log(
        readNote(config.dataDir) ? 'The server here copies now: markbook sync status' : 'Start the server, and it copies: markbook start',
      )
    },
    config,
    isThere,
  )
}

function addressOf(typed: string): string {
  const url = URL.canParse(typed) ? new URL(typed) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`${typed} is not an address. Write it like https://markbook.example`)
  return url.origin
}
