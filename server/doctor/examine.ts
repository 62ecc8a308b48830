import type { Config } from '../config.ts'
import { placeOf } from '../store/backup/place.ts'
import { latestBackup } from '../store/backup/restore.ts'
import type { Place } from '../store/backup/take.ts'
import { NOTHING_WRITTEN } from '../store/soundness/newest.ts'
import { soundnessOfPostgres } from '../store/soundness/postgres.ts'
import { soundnessOfSqlite } from '../store/soundness/sqlite.ts'
import { checkBackups } from './check.backups.ts'
import { checkCertificate } from './check.certificate.ts'
import { checkClock } from './check.clock.ts'
import { checkDatabase } from './check.database.ts'
import { checkDisks } from './check.disk.ts'
import { checkFolder } from './check.folder.ts'
import { checkLeftovers, checkMemory, checkSettings, type SettingsFound } from './check.machine.ts'
import { checkMail } from './check.mail.ts'
import { checkReplication } from './check.replication.ts'
import { checkRights } from './check.rights.ts'
import { checkPort, checkServer, type ServerFound } from './check.server.ts'
import type { Finding } from './finding.ts'
import { lookAtBackups } from './look.backups.ts'
import { lookAtCertificate } from './look.certificate.ts'
import { lookAtClock } from './look.clock.ts'
import { lookAtLeftovers, lookAtMemory } from './look.machine.ts'
import { greetMailServer } from './look.mail.ts'
import { lookAtDisks, lookAtFolder } from './look.place.ts'
import { lookAtReplication } from './look.replication.ts'
import { lookAtRights } from './look.rights.ts'
import { lookAtPort, lookAtServer } from './look.server.ts'

export type Examined = Omit<Config, 'sessionSecret'>
type Say = (doing: string) => void

/**
 * Looks at everything and says what it found, in the order of `checks`. Changes nothing; the server may go on working. Throws where
 * this account may not look at the data folder.
 */
export async function examine(config: Examined, settings: SettingsFound, say: Say = () => {}): Promise<Finding[]> {
  const { dataDir, databaseUrl, smtpUrl } = config
  const place = placeOf(config)
  const { server, figures } = await lookAtServer(config)
  say('Reading the database')
  const soundness = databaseUrl ? await soundnessOfPostgres(databaseUrl) : await soundnessOfSqlite(dataDir)
  const newest = soundness.state === 'read' ? soundness.newest : NOTHING_WRITTEN
  const known = {
    scheduled: config.backups,
    hasDatabase: soundness.state !== 'absent',
    newestMark: newest.at,
    failed: figures?.failedBackups ?? null,
  }
  say('Reading the newest backup')
  const backups = await lookAtBackups(place, known)
  say('Asking the clock, the mail server and the disks')
  const [times, greeting, disks, port] = await Promise.all([
    lookAtClock(place.clock, { ...config, sites: sitesOf(config) }, newest),
    smtpUrl ? greetMailServer(smtpUrl) : null,
    lookAtDisks(disksOf(config)),
    lookAtPort(config, server),
  ])
  const { now } = times
  const replication = soundness.state === 'read' ? await lookAtReplication(config, figures?.replication ?? null) : null
  const mail = { server: smtpUrl && new URL(smtpUrl).host, greeting, queue: figures?.queue ?? null }
  return [
    ...checkSettings(settings),
    ...checkDatabase({ where: whereOf(config), central: databaseUrl !== null, soundness, backup: latestOf(place) }),
    ...checkServer(server),
    ...checkBackups(backups),
    ...checkDisks(disks),
    ...checkFolder(lookAtFolder(dataDir, { central: databaseUrl !== null })),
    ...checkRights(lookAtRights(config)),
    ...checkClock(times),
    ...checkCertificate(lookAtCertificate(asServed(config, server)), now),
    ...(replication ? checkReplication(replication) : []),
    ...checkMail(mail),
    ...checkPort(port),
    ...checkMemory(lookAtMemory()),
    ...checkLeftovers(lookAtLeftovers(config, now)),
  ]
}

/** A server that was started with --lan shows a certificate, although no setting says so. */
const asServed = (config: Examined, { state, url }: ServerFound): Examined =>
  config.tls === 'none' && state === 'ours' && url?.startsWith('https:') ? { ...config, tls: 'authority', host: ANY_HOST } : config
const ANY_HOST = '0.0.0.0'

/** Other servers whose clock can be asked: the storage of files, and the address that people use where somebody named it. */
const sitesOf = ({ publicUrl, publicUrlFollows, s3 }: Examined): string[] =>
  [publicUrlFollows ? null : publicUrl, s3?.endpoint].filter((site) => typeof site === 'string')

const whereOf = ({ databaseUrl, dataDir }: Examined) => (databaseUrl ? 'PostgreSQL' : dataDir)

const disksOf = ({ dataDir, backupDir, backupCopyDir }: Examined) => [
  { folder: dataDir, holds: 'marks' as const },
  { folder: backupDir, holds: 'backups' as const },
  ...(backupCopyDir ? [{ folder: backupCopyDir, holds: 'copies' as const }] : []),
]

function latestOf(place: Place): string | null {
  try {
    return latestBackup(place).path
  } catch {
    return null
  }
}
