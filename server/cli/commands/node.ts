import { Name } from '@markbook/shared/contract/scalars'
import { limits } from '@markbook/shared/limits'
import type { Command } from 'commander'
import { eq } from 'drizzle-orm'
import { peopleNamed } from '../../features/replication/people.ts'
import { unreadBy, waitingFor } from '../../features/replication/status.ts'
import { readNote } from '../../lan/running-note.ts'
import { normalEmail } from '../../mail/emails.ts'
import { isLoopback } from '../../network/addresses.ts'
import { invite } from '../../replication/identity/enrolment.ts'
import { renamePeer, revokePeer, successorOf } from '../../replication/identity/nodes.ts'
import { askWipe } from '../../replication/identity/wipe.ts'
import { asSystem } from '../../store/tx.ts'
import { confirm } from '../confirm.ts'
import { atConsole, type Console, peerNamed, peersHere } from '../console.ts'
import { schoolNamed, schoolsHere } from '../export/naming.ts'
import { addCommand } from '../help.ts'
import { type ListedNode, NO_NODES, nodesText } from '../node-list.ts'
import { shortMoment } from '../words.ts'

export function nodeCommand(program: Command) {
  const node = addCommand(program, 'node', 'the other servers and laptops that replicate with this one', {
    examples: ['markbook node invite --laptop ada@school.example', 'markbook node list'],
    exits: { 0: 'done', 1: 'it was refused, and one clear line says why' },
  })
  addCommand(node, 'invite', 'print a one-time code with which a laptop or a school’s server joins this one', {
    about: `The code is good for ${limits.sync.invitation.lifetimeMs / 60_000} minutes and for one node. On the other machine: markbook join <address> <code>`,
    examples: [
      'markbook node invite --laptop ada@school.example    a laptop, for the marks that she may see',
      "markbook node invite                                the school's own server, where there is one school here",
      'markbook node invite --school "St Brigid’s"         at a centre with several',
      'markbook node invite --new                          at a centre: a school that started alone brings its rows',
    ],
    exits: { 0: 'a code is printed', 1: 'there is none, and one clear line says why' },
  })
    .option('--laptop <email>', 'a laptop of this teacher or administrator')
    .option('--school <name>', 'which school, where there are several; the server that joins gets its rows')
    .option('--new', 'at a centre: the server of a school that started alone, and is not here yet')
    .action(inviteNode)
  addCommand(node, 'list', 'list the other servers and laptops: whose each is, when it was last heard, what waits for it', {
    about: 'Times are those of this machine. What must be looked at, a copied laptop or a wrong clock: markbook issues list',
    examples: ['markbook node list'],
    exits: { 0: 'listed', 1: 'the nodes could not be read, and one clear line says why' },
  }).action(listNodes)
  addCommand(node, 'rename', 'give a node another name', {
    examples: ['markbook node rename "PC-0231" "Library PC"'],
    exits: { 0: 'it has the new name', 1: 'there is no such node' },
  })
    .argument('<node>', 'its name or its id')
    .argument('<name>', 'the new name')
    .action(renameNode)
  addCommand(node, 'revoke', 'refuse a node from its next request on; of a parent: leave it', {
    about: 'What a revoked node wrote and has not sent stays on it, and can be looked at there. It can be invited again.',
    examples: ['markbook node revoke "Ada’s laptop"', 'markbook node revoke "Ministry" --yes     this server goes on alone'],
    exits: { 0: 'it is revoked', 1: 'there is no such node, or nobody agreed' },
  })
    .argument('<node>', 'its name or its id')
    .option('--yes', 'without asking')
    .action(revokeNode)
  addCommand(node, 'wipe', 'ask that a laptop be erased: it does so when it next reaches this server', {
    about: `The laptop first sends what it has not sent, says that it erases itself, and then erases marks, names, files, keys and the backups in
its folder; after that it is refused here. Until then it gets nothing more. What a laptop sends that was revoked before is kept for
people to look at (markbook issues list), and does not count. There is no way back, but for inviting it and joining again before it
hears of this. It is no remedy against somebody who keeps the laptop from the network: for that its disk is encrypted.`,
    examples: ['markbook node wipe "Ada’s laptop"', 'markbook node wipe "Ada’s laptop" --yes'],
    exits: { 0: 'it is asked for', 1: 'there is no such laptop, or nobody agreed' },
  })
    .argument('<node>', 'its name or its id')
    .option('--yes', 'without asking')
    .action(wipeNode)
}

const NO_CENTRE =
  'Only a centre takes in other schools: a server that was started with DATABASE_URL, on PostgreSQL (operators’ guide, «Several servers», «What makes a centre»).'

async function inviteNode({ laptop, school, new: isNew = false }: { laptop?: string; school?: string; new?: boolean }, command: Command) {
  if (isNew && (laptop || school))
    return command.error('--new is for a school that is not here yet, and goes with nothing else.', { exitCode: 2 })
  await atConsole(async (at) => {
    const { store, config } = at
    if (isNew && config.role !== 'centre') throw new Error(NO_CENTRE)
    if (!isNew && config.role === 'centre' && (await isEmpty(at)))
      throw new Error('There is no school here yet. For a school that started alone and joins this centre: markbook node invite --new')
    const schoolId = isNew ? null : (await schoolNamed(store, school)).schoolId
    const userId = laptop ? await personOf(at, laptop) : null
    const { code } = await store.write(asSystem(), (tx) => invite(tx, { kind: laptop ? 'laptop' : 'school', schoolId, userId, by: null }))
    console.log(
      `The code, good for ${limits.sync.invitation.lifetimeMs / 60_000} minutes and for one ${laptop ? 'laptop' : 'server'}:\n\n    ${code}\n`,
    )
    const address = addressOf(config)
    console.log(`On the other machine:\n\n    markbook join ${address} ${code}${laptop ? ' --laptop' : ''}`)
    if (config.publicUrlFollows && isLoopback(new URL(address).hostname)) console.log(`\n${ONLY_HERE}`)
  })
}

/** The address of the running server, whose port may differ from these settings; else the address of the settings. */
function addressOf({ publicUrl, publicUrlFollows, dataDir }: Console['config']): string {
  const note = publicUrlFollows ? readNote(dataDir) : null
  return note ? (note.urls[0] ?? note.url) : publicUrl
}

const ONLY_HERE = 'This server answers on this computer alone. For the others: markbook start --lan; behind a proxy, set PUBLIC_URL.'

const isEmpty = ({ store }: Console) => store.read(asSystem(), async (tx) => (await tx.db.$count(tx.t.school)) === 0)

const personOf = ({ store }: Console, typed: string) =>
  store.read(asSystem(), async (tx) => {
    const { user_profile } = tx.t
    const [person] = await tx.db
      .select({ id: user_profile.id })
      .from(user_profile)
      .where(eq(user_profile.email, normalEmail(typed)))
    if (!person) throw new Error(`Nobody here has the address ${typed}.`)
    return person.id
  })

async function listNodes() {
  await atConsole(async ({ store }) => {
    const lines = await store.read(asSystem(), async (tx) => {
      const peers = await peersHere(tx)
      const users = peers.map(({ user_id }) => user_id)
      const named = await peopleNamed(tx, null, users)
      const schools = new Map((await schoolsHere(tx)).map(({ id, name }) => [id, name]))
      const nodes: ListedNode[] = []
      for (const peer of peers)
        nodes.push({
          peer,
          person: named(peer.user_id),
          school: schools.get(peer.school_id ?? '') ?? null,
          waits: await (peer.side === 'parent' ? waitingFor(tx, peer) : unreadBy(tx, peer, store.nodeId)),
          successor: successorOf(peer, peers),
          isNamesake: peers.some(({ id, name }) => id !== peer.id && name.toLowerCase() === peer.name.toLowerCase()),
        })
      return nodesText(nodes, { hasSchools: schools.size > 1, now: tx.nowMs })
    })
    console.log(lines.length > 1 ? lines.join('\n') : NO_NODES)
  })
}

async function renameNode(node: string, typed: string) {
  const { data: name, error } = Name.safeParse(typed.trim())
  if (error) throw new Error(`The name ${error.issues[0]?.message}.`)
  await atConsole(async ({ store }) => {
    const before = await store.write(asSystem(), async (tx) => {
      const peer = peerNamed(await peersHere(tx), node)
      await renamePeer(tx, peer, name)
      return peer.name
    })
    console.log(`${before} is now called ${name}.`)
  })
}

async function revokeNode(node: string, options: { yes?: boolean }) {
  await atConsole(async ({ store }) => {
    const peer = peerNamed(await store.read(asSystem(), peersHere), node)
    const asked = peer.side === 'parent' ? `Leave ${peer.name}, and go on alone?` : `Revoke ${peer.name}?`
    await confirm(asked, options)
    await store.write(asSystem(), (tx) => revokePeer(tx, peer))
    console.log(peer.side === 'parent' ? `This server has left ${peer.name}.` : `${peer.name} is revoked; its next request is refused.`)
  })
}

async function wipeNode(node: string, options: { yes?: boolean }) {
  await atConsole(async ({ store }) => {
    const peer = peerNamed(await store.read(asSystem(), peersHere), node)
    await confirm(`Erase ${peer.name}, with everything that it holds?`, options)
    const { wipe_asked_at } = await store.write(asSystem(), (tx) => askWipe(tx, peer))
    console.log(
      `${peer.name} is to be erased, since ${shortMoment(wipe_asked_at as string)}. It does so when it next reaches this server; markbook node list says when it has.`,
    )
  })
}
