import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import type { Command } from 'commander'
import { demandFreeFile } from '../export/place.ts'
import { ago } from '../features/replication/ago.ts'
import { differs } from '../features/replication/difference.ts'
import { belowNamed, statusOf } from '../features/replication/status.ts'
import { openStorage, type Storage } from '../files/open.ts'
import { writeWhole } from '../lan/whole.file.ts'
import { exportUp, importParcel } from '../peers/by-hand.ts'
import { parentsOf } from '../peers/enrolment.ts'
import { putBackAt } from '../peers/put-back.ts'
import { asSystem } from '../store/tx.ts'
import { counted } from './backup.ts'
import { atConsole, type Console, parentHere } from './console.ts'
import { explain } from './explain.ts'
import { courseOf, joinedSaid, sentenceHere } from './replication.said.ts'
import { verify } from './sync.verify.ts'

export function syncVerb(program: Command) {
  const sync = program
    .command('sync')
    .description('how replication goes; verify it; carry it on a stick where there is no line')
    .addHelpText('after', HELP)
  sync.command('status').description('say in one sentence and in numbers how replication goes').addHelpText('after', STATUS).action(status)
  sync
    .command('verify')
    .description('compare every table with the parent, by count and by digest')
    .option('--repair', 'merge everything again, both ways, where something differs')
    .addHelpText('after', VERIFY)
    .action(verify)
  sync
    .command('export')
    .description('write what the parent does not have yet into a file, to carry there')
    .argument('<file>', 'a new file')
    .option('--all', 'everything from the beginning, where an earlier file never came')
    .addHelpText('after', EXPORT)
    .action(exportFile)
  sync
    .command('import')
    .description('take in a file that sync export wrote, or the receipt that came back')
    .argument('<file>', 'the file')
    .option('--receipt <file>', 'where to write the receipt; beside the file where it is left out')
    .addHelpText('after', IMPORT)
    .action(importFile)
}

const HELP = `
Examples:
  $ markbook sync status
  $ markbook sync export /media/usb/marks.parcel

Exit codes:
  0  done, and all is well
  1  it was refused, and one clear line says why
  2  wrong usage
  3  something waits for a person, or differs (status, verify)`

const STATUS = `
Examples:
  $ markbook sync status
  $ markbook sync status || echo somebody must look

Exit codes:
  0  all is well, or this server works alone
  1  it could not be looked
  2  wrong usage
  3  no line, not running, revoked, too old, something waits for a decision, a write was not taken,
     or this server and its parent do not hold the same`

const VERIFY = `
Run it at the server or laptop that joined the other, with a line between them. What is still on its way counts as different
until it has arrived.

Examples:
  $ markbook sync verify
  $ markbook sync verify --repair

Exit codes:
  0  both hold the same
  1  it could not be compared
  2  wrong usage
  3  something differs`

const EXPORT = `
The file is signed by this server and sealed for its parent: nobody else can read it. Take it there, markbook sync import it,
and carry the receipt back: it brings what became of the rows, and what is new there. The line may come back at any time.

Examples:
  $ markbook sync export /media/usb/marks.parcel
  $ markbook sync export /media/usb/all.parcel --all

Exit codes:
  0  it is written
  1  it was refused, and one clear line says why; nothing was written
  2  wrong usage`

const IMPORT = `
Taking the same file in again changes nothing.

Examples:
  $ markbook sync import /media/usb/marks.parcel              at the parent; writes marks.parcel.receipt
  $ markbook sync import /media/usb/marks.parcel.receipt      back at the school

Exit codes:
  0  it is taken in
  1  it was refused, and one clear line says why; nothing was changed
  2  wrong usage`

async function status() {
  await atConsole(async (at) => {
    const course = await courseOf(at.store, at.config.dataDir, at.clock.now())
    const { schools, parent, putBack } = await at.store.read(asSystem(), async (tx) => ({
      parent: (await parentsOf(tx))[0],
      putBack: await putBackAt(tx),
      schools: await tx.db.select({ id: tx.t.school.id, name: tx.t.school.name }).from(tx.t.school),
    }))
    if (schools.length === 0) {
      const { sentence, isWell } = parent ? joinedSaid(parent, course) : { sentence: 'There is no school here yet.', isWell: true }
      console.log(sentence)
      if (!isWell) process.exitCode = 3
    }
    for (const { id, name } of schools) {
      const now = await at.store.read(asSystem(), (tx) => statusOf(tx, id, course))
      console.log(`${name}: ${sentenceHere(now, course)}`)
      if (now.parent) console.log(`  Above:      ${now.parent.name}, last heard ${now.last_seen_at ? local(now.last_seen_at) : 'never'}`)
      console.log(`  Waiting:    ${counted(now.waiting, 'row')}${now.oldest_waiting_at ? `, since ${local(now.oldest_waiting_at)}` : ''}`)
      if (now.files_to_send + now.files_to_come > 0) console.log(`  Files:      ${now.files_to_send} to send, ${now.files_to_come} to come`)
      console.log(`  To decide:  ${counted(now.open_conflicts, 'conflict')}, ${now.held} held, ${now.refused} refused`)
      if (now.refused_below > 0) console.log(`  Not taken:  ${counted(now.refused_below, 'write')} of ${belowNamed(now)}`)
      if (now.compared_at) console.log(`  The same:   seen ${local(now.compared_at)}`)
      if (now.difference) console.log(differenceLine(now.difference))
      if (now.clock_offset_ms !== null && Math.abs(now.clock_offset_ms) > 60_000)
        console.log(
          `  The clock of this machine is ${ago(Math.abs(now.clock_offset_ms))} ${now.clock_offset_ms > 0 ? 'ahead' : 'behind'}. Set it right.`,
        )
      const isWell =
        ['alone', 'up_to_date', 'sending'].includes(now.state) &&
        now.open_conflicts + now.held + now.refused + now.refused_below === 0 &&
        !differs(now)
      if (!isWell) process.exitCode = 3
    }
    if (putBack)
      console.log(`This database was put back to an earlier state, and not by markbook restore. It began anew on ${local(putBack)}.`)
  })
}

function differenceLine({ found_at, healed_at, tables }: NonNullable<SyncStatus['difference']>): string {
  const which = tables.map(({ entity, here, there }) => `${entity} ${here} here, ${there} there`).join('; ')
  return `  ${healed_at ? 'Mended:   ' : 'Differs:  '}  ${which}; found ${local(found_at)}${healed_at ? `, the same again ${local(healed_at)}` : ''}`
}

const local = (at: string) => new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

async function exportFile(typed: string, { all = false }: { all?: boolean }) {
  const path = resolve(typed)
  demandFreeFile(path)
  await atConsole(async (at) => {
    const parent = await parentHere(at, 'sync export')
    const { parcel, rows, files } = await withFiles(at, (own) => exportUp(own, parent, { all }))
    writeWhole(path, parcel, 0o600)
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
  const parcel = readFileSync(path)
  await atConsole(async (at) => {
    const { from, rows, files, refused, held, receipt } = await withFiles(at, (own) => importParcel(own, parcel))
    console.log(`Took in ${counted(rows, 'row')} and ${counted(files, 'file')} of ${from}.`)
    if (refused > 0) console.log(`  ${counted(refused, 'write')} not taken; the receipt says which to whoever wrote them.`)
    if (held > 0) console.log(`  ${counted(held, 'row')} held until what they hang on comes.`)
    if (!receipt) return
    const back = resolve(to ?? `${path}.receipt`)
    try {
      writeWhole(back, receipt, 0o600)
    } catch (error) {
      const again = `markbook sync import ${typed} --receipt FILE`
      throw new Error(`The receipt could not be written. ${explain(error)} It can be had elsewhere, and nothing is taken twice: ${again}`)
    }
    console.log(`Carry the receipt back: ${back}\nThere: markbook sync import ${back}`)
  })
}
