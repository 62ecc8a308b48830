import { limits } from '@markbook/shared/limits'
import type { Command } from 'commander'
import { openStorage } from '../../files/open.ts'
import { trustedAuthority } from '../../replication/identity/trust.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { asSystem } from '../../store/tx.ts'
import { type AuditedSchool, auditHere, PEOPLE, type ToldAudit } from '../audit-here.ts'
import { auditText, isRed, verdictText } from '../audit-text.ts'
import { atConsole } from '../console.ts'
import { schoolsHere } from '../export/naming.ts'
import { addCommand } from '../help.ts'
import { harmless } from '../table.ts'

export const auditCommand = (program: Command) =>
  addCommand(program, 'audit', 'compare every mark, every other row and every file with the history', {
    about: `The history must tell of the very write of which each value is: which value, by whom, when. Entries of this server are held
by their chain, those of others by their signatures; servers above are asked which history they know, and every
file is read and compared with its hash. It changes nothing, takes minutes in a large school, and the server may go on working.`,
    examples: ['markbook audit', 'markbook audit --school "St Brigid’s" --json'],
    exits: {
      0: 'everything is proved, or the history does not tell of it',
      1: 'it could not be read, and one clear line says why',
      3: 'a row or file is contradicted, the history was changed, or another server knows another history',
    },
  })
    .option('--school <name>', 'this school only, where there are several')
    .option('--json', 'as JSON, for programs')
    .action(auditAll)

const FOUND = 3

async function auditAll({ school: typed, json = false }: { school?: string; json?: boolean }) {
  await atConsole(async (at) => {
    const schools = await at.store.read(asSystem(), (tx) => schoolsHere(tx, typed))
    const { files } = await openStorage(at.config, at.clock)
    const carry = overNetwork(new AbortController().signal, () => trustedAuthority(at.config.dataDir))
    const all: ToldAudit[] = []
    for (const school of [...schools, PEOPLE]) {
      const found = await auditHere({ ...at, files }, school, carry, json ? () => {} : progress(school))
      all.push(found)
      if (!json) console.log(`${auditText(found).join('\n')}\n`)
    }
    console.log(json ? JSON.stringify({ schools: all }, null, 2) : verdictText(all).join('\n'))
    await files.close()
    if (all.some(isRed)) process.exitCode = FOUND
  })
}

/** A line now and then on standard error. */
function progress({ name }: AuditedSchool): (share: number) => void {
  let told = performance.now()
  return (share) => {
    if (performance.now() - told < limits.audit.tell) return
    told = performance.now()
    console.error(`${harmless(name ?? 'The people of all schools')}: ${Math.floor(share * 100)} % …`)
  }
}
