import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import type { Command } from 'commander'
import { asc } from 'drizzle-orm'
import { writeAtomically } from '../../atomic-write.ts'
import { ago } from '../../features/replication/ago.ts'
import { computersBelow, copiesAmong } from '../../features/replication/below.ts'
import { isApart } from '../../features/replication/clocks.ts'
import { differs } from '../../features/replication/difference.ts'
import { belowNamed, statusOf } from '../../features/replication/status.ts'
import { openStorage, type Storage } from '../../files/open.ts'
import { jsonLog } from '../../http/log.ts'
import type { Services } from '../../http/services.ts'
import { isInsecure } from '../../network/addresses.ts'
import { exportUp, importBundle } from '../../replication/exchange/by-hand.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import { trustedAuthority } from '../../replication/identity/trust.ts'
import { readWipeNote } from '../../replication/identity/wipe-note.ts'
import { keysOfEnrolment } from '../../replication/incarnation/incarnation.ts'
import { restoredAt } from '../../replication/incarnation/restored.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { LineFailure, ParentLine } from '../../replication/line/parent-line.ts'
import { type Difference, differencesOf, digestsOf } from '../../replication/scope/verify.ts'
import { Child } from '../../replication/upstream/child.ts'
import { comparedScope, keepSame } from '../../replication/upstream/comparison.ts'
import { asSystem } from '../../store/tx.ts'
import { wipedText } from '../banner.ts'
import { atConsole, type Console, parentHere } from '../console.ts'
import { explain } from '../explain.ts'
import { demandFreeFile } from '../export/place.ts'
import { addCommand } from '../help.ts'
import { courseOf, joinedSaid, linesOfSchools, sentenceHere } from '../replication-status.ts'
import { counted, shortMoment } from '../words.ts'

export function syncCommand(program: Command) {
  const sync = addCommand(program, 'sync', 'how replication goes; verify it; carry it on a stick where there is no line', {
    examples: ['markbook sync status', 'markbook sync export /media/usb/marks.bundle'],
    exits: {
      0: 'done, and all is well',
      1: 'it was refused, and one clear line says why',
      3: 'something waits for a person, or differs (status, verify)',
    },
  })
  addCommand(sync, 'status', 'say in one sentence and in numbers how replication goes', {
    examples: ['markbook sync status', 'markbook sync status || echo somebody must look'],
    exits: {
      0: 'all is well, or this server works alone',
      1: 'the state could not be read, and one clear line says why',
      3: `no line, not running, revoked, too old, something waits for a decision, a write was not taken,
     a computer was copied, or this server and its parent do not hold the same`,
    },
  })
    .option('--all', 'each of many schools, also where there is nothing to look at')
    .action(status)
  addCommand(sync, 'verify', 'compare every table with the parent, by count and by digest', {
    about: `Run it at the server or laptop that joined the other, with a line between them. What is still on its way counts as different
until it has arrived.`,
    examples: ['markbook sync verify', 'markbook sync verify --repair'],
    exits: { 0: 'both hold the same', 1: 'it could not be compared', 3: 'something differs' },
  })
    .option('--repair', 'merge everything again, both ways, where something differs')
    .action(verify)
  addCommand(sync, 'export', 'write what the parent does not have yet into a file, to carry there', {
    about: `The file is signed by this server and sealed for its parent: nobody else can read it. Take it there, markbook sync import it,
and carry the receipt back: it brings what became of the rows, and what is new there. The line may come back at any time.`,
    examples: ['markbook sync export /media/usb/marks.bundle', 'markbook sync export /media/usb/all.bundle --all'],
    exits: { 0: 'it is written', 1: 'it was refused, and one clear line says why; nothing was written' },
  })
    .argument('<file>', 'a new file')
    .option('--all', 'everything from the beginning, where an earlier file never came')
    .action(exportFile)
  addCommand(sync, 'import', 'take in a file that sync export wrote, or the receipt that came back', {
    about: 'Taking the same file in again changes nothing.',
    examples: [
      'markbook sync import /media/usb/marks.bundle              at the parent; writes marks.bundle.receipt',
      'markbook sync import /media/usb/marks.bundle.receipt      back at the school',
    ],
    exits: { 0: 'it is taken in', 1: 'it was refused, and one clear line says why; nothing was changed' },
  })
    .argument('<file>', 'the file')
    .option('--receipt <file>', 'where to write the receipt; beside the file where it is left out')
    .action(importFile)
}

async function status({ all = false }: { all?: boolean }) {
  await atConsole(async (at) => {
    const course = await courseOf(at.store, at.config.dataDir, at.clock.now())
    const { schools, parents, putBack } = await at.store.read(asSystem(), async (tx) => ({
      parents: await parentsOf(tx),
      putBack: await restoredAt(tx),
      schools: await tx.db.select({ id: tx.t.school.id, name: tx.t.school.name }).from(tx.t.school).orderBy(asc(tx.t.school.name)),
    }))
    const [parent] = parents
    if (schools.length === 0) {
      const { sentence, isWell } = parent ? joinedSaid(parent, course) : { sentence: 'There is no school here yet.', isWell: true }
      console.log(sentence)
      const wiped = readWipeNote(at.config.dataDir)
      if (wiped && !parent) console.log(wipedText(wiped))
      if (!isWell) process.exitCode = 3
    }
    const said = []
    for (const { id, name } of schools) {
      const { now, computers } = await at.store.read(asSystem(), async (tx) => ({
        now: await statusOf(tx, id, course),
        computers: await computersBelow(tx, id),
      }))
      const toLookAt = now.open_conflicts + now.held + now.refused + now.refused_below + now.copies
      const isWell = ['alone', 'up_to_date', 'sending'].includes(now.state) && toLookAt === 0 && !differs(now)
      if (!isWell) process.exitCode = 3
      const lines = [`${name}: ${sentenceHere(now, course)}`, ...linesOf(now, copiesAmong(computers))]
      said.push({ isWell, lines: toLookAt > 0 ? [...lines, '  Each of them: markbook issues list'] : lines })
    }
    for (const line of linesOfSchools(said, all)) console.log(line)
    for (const { name, url } of parents)
      if (url !== null && isInsecure(url))
        console.log(`The line to ${name} (${url}) is insecure: plain http, which others on the network can read.`)
    if (putBack)
      console.log(`This database was put back to an earlier state, and not by markbook restore. It began anew on ${shortMoment(putBack)}.`)
  })
}

/** How it goes with one school, in numbers. */
function linesOf(now: SyncStatus, copies: ReturnType<typeof copiesAmong>): string[] {
  const { parent, waiting, oldest_waiting_at: oldest, clock_offset_ms: off } = now
  return [
    ...(parent ? [`  Above:      ${parent.name}, last heard ${now.last_seen_at ? shortMoment(now.last_seen_at) : 'never'}`] : []),
    `  Waiting:    ${counted(waiting, 'row')}${oldest ? `, since ${shortMoment(oldest)}` : ''}`,
    ...(now.files_to_send + now.files_to_come > 0 ? [`  Files:      ${now.files_to_send} to send, ${now.files_to_come} to come`] : []),
    `  To decide:  ${counted(now.open_conflicts, 'conflict')}, ${now.held} held, ${now.refused} refused`,
    ...(now.refused_below > 0 ? [`  Not taken:  ${counted(now.refused_below, 'write')} of ${belowNamed(now)}`] : []),
    ...copies.map(([one, other]) => `  Copied:     ${one} and ${other} were one computer`),
    ...(now.compared_at ? [`  The same:   seen ${shortMoment(now.compared_at)}`] : []),
    ...(now.difference ? [differenceLine(now.difference)] : []),
    ...(off !== null && isApart(off)
      ? [`  The clock of this machine is ${ago(Math.abs(off))} ${off > 0 ? 'ahead' : 'behind'}. Set it right.`]
      : []),
  ]
}

function differenceLine({ found_at, healed_at, tables }: NonNullable<SyncStatus['difference']>): string {
  const which = tables.map(({ entity, here, there }) => `${entity} ${here} here, ${there} there`).join('; ')
  return `  ${healed_at ? 'Mended:   ' : 'Differs:  '}  ${which}; found ${shortMoment(found_at)}${healed_at ? `, the same again ${shortMoment(healed_at)}` : ''}`
}

async function exportFile(typed: string, { all = false }: { all?: boolean }) {
  const path = resolve(typed)
  demandFreeFile(path)
  await atConsole(async (at) => {
    const parent = await parentHere(at, 'sync export')
    const { bundle, rows, files } = await withFiles(at, (own) => exportUp(own, parent, { all }))
    writeAtomically(path, bundle)
    console.log(`Wrote ${counted(rows, 'row')} and ${counted(files, 'file')} for ${parent.name}: ${path}`)
    console.log(`There: markbook sync import ${path}`)
  })
}

async function withFiles<T>(at: Console, work: (own: Console & Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(at.config, at.clock)
  try {
    return await work({ ...at, ...storage })
  } finally {
    await storage.files.close()
  }
}

async function importFile(typed: string, { receipt: to }: { receipt?: string }) {
  const path = resolve(typed)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${path} is a folder. Name the file in it that sync export wrote, or the receipt.`)
  const bundle = readFileSync(path)
  await atConsole(async (at) => {
    const { from, rows, files, refused, held, receipt } = await withFiles(at, (own) =>
      importBundle({ ...own, log: jsonLog(at.config.logLevel) }, bundle),
    )
    console.log(`Took in ${counted(rows, 'row')} and ${counted(files, 'file')} of ${from}.`)
    if (refused > 0) console.log(`  ${counted(refused, 'write')} not taken; the receipt says which to whoever wrote them.`)
    if (held > 0) console.log(`  ${counted(held, 'row')} held until what they hang on comes.`)
    if (!receipt) return
    const back = resolve(to ?? `${path}.receipt`)
    try {
      writeAtomically(back, receipt)
    } catch (error) {
      const again = `markbook sync import ${typed} --receipt FILE`
      throw new Error(`The receipt could not be written. ${explain(error)} It can be had elsewhere, and nothing is taken twice: ${again}`)
    }
    console.log(`Carry the receipt back: ${back}\nThere: markbook sync import ${back}`)
  })
}

/** Both sides are compared up to this many times, `BETWEEN` ms apart: rows on their way differ only for a moment. */
const LOOKS = 4
const BETWEEN = 2_000

async function verify({ repair = false }: { repair?: boolean }) {
  await atConsole(async (at) => {
    const parent = await parentHere(at, 'sync verify')
    const carry = overNetwork(new AbortController().signal, () => trustedAuthority(at.config.dataDir))
    const line = new ParentLine(parent, keysOfEnrolment(at, parent), carry)
    const child = new Child(at as Services, parent.id, line)
    const session = <T>(work: () => Promise<T>) => inSession(child, work)
    if (repair) {
      console.log(`Merging everything with ${parent.name} again …`)
      await session(() => child.mergeAll())
    }
    const whose = comparedScope(parent)
    let differences: Difference[] = []
    for (let look = 1; look <= LOOKS; look += 1) {
      const there = await session(() => line.verify())
      differences = differencesOf(await digestsOf(at.store, whose), there)
      if (differences.length === 0) {
        const rows = there.tables.reduce((sum, { count }) => sum + count, 0)
        await at.store.write(asSystem(), (tx) => keepSame(tx, parent.id))
        console.log(`${parent.name} and this server hold the same ${counted(rows, 'row')} in ${counted(there.tables.length, 'table')}.`)
        return
      }
      if (look < LOOKS) await after(BETWEEN)
    }
    process.exitCode = 3
    console.log(`${parent.name} and this server do not hold the same:`)
    for (const { table, here, there } of differences)
      console.log(
        `  ${table.padEnd(28)} ${here === there ? `${here} at both, but not all of them the same` : `${here} here, ${there} there`}`,
      )
    console.log(await advice(at, parent.school_id, repair))
  })
}

async function advice({ store }: Console, school: string | null, repaired: boolean): Promise<string> {
  const none = { waiting: 0, held: 0 }
  const { waiting, held } = school === null ? none : await store.read(asSystem(), (tx) => statusOf(tx, school, null))
  if (waiting > 0) return `${counted(waiting, 'row')} of this server have not arrived yet: look again when they have.`
  if (held > 0) return `${counted(held, 'row')} are held here: an administrator sees them, with the reason.`
  return repaired
    ? 'Merging again did not help: keep both databases (markbook backup) and ask for help.'
    : 'Merge again: markbook sync verify --repair'
}

/** Failures that end by themselves. `sync.later`: the parent does one comparison at a time. */
const isPassing = ({ code }: LineFailure) => code === 'sync.stale_session' || code === 'sync.later'

/**
 * Works in a session with the parent. The session of this command and that of the running server end each other; work whose session was
 * ended is tried again, at most five times.
 */
async function inSession<T>(child: Child, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      if ((await child.greet()).anew)
        throw new Error('This database was restored or copied, and begins anew when the server has the line. Start it first.')
      return await work()
    } catch (error) {
      if (!(error instanceof LineFailure) || !isPassing(error) || tries === 5) throw error
      await after(BETWEEN)
    }
  }
}
