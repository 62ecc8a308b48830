import type { Config } from '../../config.ts'
import { systemKeyring } from '../../keyring/system.ts'
import { thisMachine } from '../../network/addresses.ts'
import { placeOf } from '../../store/backup/place.ts'
import { latestBackup } from '../../store/backup/restore.ts'
import { soundnessOfPostgres } from '../../store/soundness/postgres.ts'
import { NOTHING_WRITTEN } from '../../store/soundness/soundness.ts'
import { soundnessOfSqlite } from '../../store/soundness/sqlite.ts'
import { signsOf } from '../settings/database-gone.ts'
import { checkAudits, lookAtAudits } from './audit.ts'
import { checkBackups, lookAtBackups } from './backups.ts'
import { checkCertificate, lookAtCertificate } from './certificate.ts'
import { checkClock, lookAtClock } from './clock.ts'
import { checkDatabase } from './database.ts'
import { checkDisks, lookAtDisks } from './disk.ts'
import { checkEncryption, lookAtEncryption } from './encryption.ts'
import { checkFiles, lookAtFiles } from './files.ts'
import type { Finding } from './finding.ts'
import { checkFolder, lookAtFolder } from './folder.ts'
import { checkLeftovers, lookAtLeftovers } from './leftovers.ts'
import { checkLines, lookAtLines } from './lines.ts'
import { checkMail, greetMailServer } from './mail.ts'
import { checkMemory, lookAtMemory } from './memory.ts'
import { checkReplication, lookAtReplication } from './replication.ts'
import { checkRights, lookAtRights } from './rights.ts'
import { checkPort, checkServer, lookAtPort, lookAtServer, type ServerFound } from './server.ts'
import { checkSettings, type SettingsFound } from './settings.ts'

export type Examined = Omit<Config, 'sessionSecret'>

/**
 * Runs every check, and returns the findings in the order of `checks`. `log` gets each step; `quick` reads neither all rows of the database
 * nor the backup. Changes nothing, and the server may be running. Throws where this account may not read the data folder.
 */
export async function examine(
  config: Examined,
  settings: SettingsFound,
  log: (doing: string) => void,
  { quick }: { quick: boolean },
): Promise<Finding[]> {
  const { dataDir, databaseUrl, smtpUrl, role } = config
  const place = placeOf(config)
  const { server, figures } = await lookAtServer(config)
  log('Reading the database')
  const looking = { quick, tell: (how: string) => log(`Reading the database: ${how}`) }
  const soundness = databaseUrl ? await soundnessOfPostgres(databaseUrl, looking) : await soundnessOfSqlite(dataDir, looking)
  const newest = soundness.state === 'read' ? soundness.newest : NOTHING_WRITTEN
  const known = {
    scheduled: config.backups,
    hasDatabase: soundness.state !== 'absent',
    newestMark: newest.at,
    failed: figures?.failedBackups ?? null,
  }
  log(quick ? 'Looking for the newest backup' : 'Reading the newest backup')
  const backups = await lookAtBackups(place, known, { quick })
  log('Asking the clock, the mail server, the storage of files and the disks')
  const [times, greeting, files, disks, port] = await Promise.all([
    lookAtClock(place.clock, { ...config, sites: sitesOf(config) }, newest),
    smtpUrl ? greetMailServer(smtpUrl) : null,
    lookAtFiles(config),
    lookAtDisks([
      { folder: config.dataDir, holds: 'marks' as const },
      { folder: config.backupDir, holds: 'backups' as const },
      ...(config.backupCopyDir ? [{ folder: config.backupCopyDir, holds: 'copies' as const }] : []),
    ]),
    lookAtPort(config, server),
  ])
  const { now } = times
  const backup = await latestBackup(place).then(
    ({ path }) => path,
    () => null,
  )
  const signs = soundness.state === 'absent' || soundness.state === 'no markbook' ? await signsOf(config) : []
  const replication = soundness.state === 'read' ? await lookAtReplication(config, figures) : null
  const audits = soundness.state === 'read' ? await lookAtAudits(config, figures !== null, now) : null
  const encryption = await lookAtEncryption(config, systemKeyring())
  const mail = { server: smtpUrl && new URL(smtpUrl).host, greeting, queue: figures?.queue ?? null }
  return [
    ...checkSettings(settings),
    ...checkDatabase({ where: whereOf(config), central: role === 'centre', soundness, backup, signs }),
    ...checkEncryption(encryption),
    ...(audits ? checkAudits(audits) : []),
    ...checkServer(server),
    ...checkBackups(backups),
    ...checkDisks(disks),
    ...checkFolder(lookAtFolder(dataDir, { central: role === 'centre' })),
    ...checkRights(lookAtRights(config)),
    ...checkClock(times),
    ...checkCertificate(lookAtCertificate(asServed(config, server)), now),
    ...(replication ? checkReplication(replication) : []),
    ...(files ? checkFiles(files) : []),
    ...checkLines(lookAtLines(config, thisMachine()), config),
    ...checkMail(mail),
    ...checkPort(port),
    ...checkMemory(lookAtMemory()),
    ...checkLeftovers(lookAtLeftovers(config, now)),
  ]
}

/** The configuration with the certificate and host of a server that was started with --lan, which is in no setting. */
const asServed = (config: Examined, { state, url }: ServerFound): Examined =>
  config.tls === 'none' && state === 'ours' && url?.startsWith('https:') ? { ...config, tls: 'authority', host: ANY_HOST } : config
const ANY_HOST = '0.0.0.0'

/** Servers whose Date header shows their time: the file storage, and the public address where it is set. */
const sitesOf = ({ publicUrl, publicUrlFollows, s3 }: Examined): string[] =>
  [publicUrlFollows ? null : publicUrl, s3?.endpoint].filter((site) => typeof site === 'string')

const whereOf = ({ role, dataDir }: Examined) => (role === 'centre' ? 'PostgreSQL' : dataDir)
