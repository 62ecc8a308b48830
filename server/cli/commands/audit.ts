import { limits } from '@markbook/shared/limits'
import { type Command, Option } from 'commander'
import { nodeNames } from '../../features/replication/replication.queries.ts'
import { openStorage } from '../../files/open.ts'
import { isBad } from '../../replication/audit/audit.found.ts'
import { lastRestore } from '../../replication/audit/audit.kept.ts'
import { type AuditUse, acceptHistory, auditWhole } from '../../replication/audit/audit.whole.ts'
import { headOfCode, writtenWithHead } from '../../replication/audit/head-code.ts'
import { auditDue, FOUND_BAD } from '../../replication/audit/schedule.ts'
import { trustedAuthority } from '../../replication/identity/trust.ts'
import { overNetwork } from '../../replication/line/network.ts'
import type { Carrier } from '../../replication/line/parent-line.ts'
import { asSystem } from '../../store/tx.ts'
import { type AuditedSchool, type DescribedAudit, describeAudit, PEOPLE } from '../audit-here.ts'
import { auditText, headText, verdictText } from '../audit-text.ts'
import { atConsole, type Console } from '../console.ts'
import { schoolsHere } from '../export/naming.ts'
import { addCommand } from '../help.ts'
import { configureExisting } from '../settings/environment.ts'
import { harmless, WIDTH, wrap } from '../table.ts'
import { counted } from '../words.ts'

export const auditCommand = (program: Command) =>
  addCommand(program, 'audit', 'compare every mark, every other row and every file with the history', {
    about: `The history must tell of the very write of which each value is: which value, by whom, when. Entries of this server are held
by their chain, those of others by their signatures; servers above are asked which history they know, and every
file is read and compared with its hash. It changes nothing, takes minutes in a large school, and the server may go on working.`,
    examples: ['markbook audit', 'markbook audit --head K7QX-2MPA-4TRD-WZ6N', 'markbook audit --school "St Brigid’s" --json'],
    exits: {
      0: 'everything is proved, or the history does not tell of it',
      1: 'it could not be read, and one clear line says why',
      3: 'a row or file is contradicted, the history was changed, or somebody knows another history, or the code is not of this one',
    },
  })
    .option('--school <name>', 'this school only, where there are several')
    .option('--json', 'as JSON, for programs')
    .option('--accept', 'say that you know why the history is not the one that was audited before; it goes on from here, and says so')
    .option('--head <code>', 'say whether the history here contains the code at the foot of a printed document')
    .addOption(new Option('--scheduled').hideHelp())
    .addOption(new Option('--data-dir <folder>').hideHelp())
    .action(auditAll)

type Options = { head?: string; school?: string; json?: boolean; accept?: boolean; scheduled?: boolean; dataDir?: string }

async function auditAll({ head, school: typed, json = false, accept = false, scheduled = false, dataDir }: Options, command: Command) {
  const prefix = head === undefined ? null : headOfCode(head)
  if (head !== undefined && prefix === null)
    command.error('That is no code of a history: it has 16 letters and digits, like K7QX-2MPA-4TRD-WZ6N.', { exitCode: 2 })
  const config = configureExisting(dataDir ? { DATA_DIR: dataDir } : {})
  await atConsole(async (here) => {
    if (prefix !== null) return sayHead(here, prefix, typed)
    const { files } = await openStorage(here.config, here.clock)
    const at = { ...here, files }
    const carry = overNetwork(new AbortController().signal, () => trustedAuthority(config.dataDir))
    await (scheduled ? auditScheduled(at, carry) : auditNow(at, carry, { typed, json, accept })).finally(() => files.close())
  }, config)
}

type At = Console & AuditUse

async function auditNow(at: At, carry: Carrier, { typed, json, accept }: { typed: string | undefined; json: boolean; accept: boolean }) {
  const schools = await at.store.read(asSystem(), (tx) => schoolsHere(tx, typed))
  const all: DescribedAudit[] = []
  for (const school of [...schools, PEOPLE]) {
    const found = await auditWhole(at, school.id, carry, json ? () => {} : progress(school))
    const taken = accept && found.kept.is === 'other' ? await acceptHistory(at, school.id, found) : found
    const told = await describeAudit(at, school, taken)
    all.push(told)
    if (!json) console.log(`${auditText(told).join('\n')}\n`)
  }
  console.log(json ? JSON.stringify({ schools: all }, null, 2) : verdictText(all).join('\n'))
  if (all.some(isBad)) process.exitCode = FOUND_BAD
}

/** Prints whether a history here contains a printed head, and what to do where none does. */
async function sayHead({ store, config }: Console, prefix: string, typed: string | undefined) {
  const found = await store.read(asSystem(), async (tx) => {
    const names = await nodeNames(tx, { id: store.nodeId, name: config.nodeName })
    const schools = await schoolsHere(tx, typed)
    for (const { id, name } of schools) {
      const written = await writtenWithHead(tx, id, prefix)
      if (written) return { name, at: written.at, node: names.get(written.node_id) ?? null }
    }
    const restores = await Promise.all(schools.map(({ id }) => lastRestore(tx, id)))
    return restores.find((each) => each !== null) ?? null
  })
  const lines = headText(found)
  console.log(lines.flatMap((line) => wrap(line, WIDTH)).join('\n'))
  if (!found || !('name' in found)) process.exitCode = FOUND_BAD
}

/** The daily audit, which the server runs as a process of its own (`scheduleAudits`). */
async function auditScheduled(at: At, carry: Carrier) {
  const { audited, bad } = await auditDue(at, carry)
  if (bad === 0) return console.log(`The marks were compared with their history (${counted(audited, 'part')}): nothing is contradicted.`)
  process.exitCode = FOUND_BAD
  console.log('THE HISTORY CONTRADICTS WHAT STANDS HERE, OR WAS CHANGED. Somebody must look: markbook audit says where, and what to do.')
}

/** Prints the share that is done on standard error, at most once in `limits.audit.progressEveryMs`. */
function progress({ name }: AuditedSchool): (share: number) => void {
  let told = performance.now()
  return (share) => {
    if (performance.now() - told < limits.audit.progressEveryMs) return
    told = performance.now()
    console.error(`${harmless(name ?? 'The people of all schools')}: ${Math.floor(share * 100)} % …`)
  }
}
