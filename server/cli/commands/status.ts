import { statSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@markbook/shared/clock'
import type { Command } from 'commander'
import { isReadOnly } from '../../disk-state.ts'
import { computersBelow } from '../../features/replication/below.ts'
import { refusedUnseen } from '../../features/replication/refused.ts'
import { statusOf } from '../../features/replication/status.ts'
import { readCertificates } from '../../lan/authority.ts'
import { expiryOf } from '../../lan/certificate.ts'
import { readOperatorCertificate } from '../../lan/operator-certificate.ts'
import { type RunningNote, readNote } from '../../lan/running-note.ts'
import { LOCAL_NAME, urlOf } from '../../network/addresses.ts'
import { orNull } from '../../or-null.ts'
import { lastAudits } from '../../replication/audit/figures.ts'
import { parentsOf } from '../../replication/identity/enrolment.ts'
import type { UpstreamStatus } from '../../replication/upstream/upstream-status.ts'
import { openStore } from '../../start.ts'
import { ownerText } from '../../store/backup/database-owner.ts'
import { megabytes } from '../../store/backup/folder.ts'
import { placeOf } from '../../store/backup/place.ts'
import { lastRehearsal, type Rehearsal } from '../../store/backup/rehearsal-record.ts'
import { newestHere } from '../../store/backup/restore.ts'
import { kindOf } from '../../store/convert.ts'
import { laptopOwner } from '../../store/laptop.ts'
import { soundnessOfPostgres } from '../../store/soundness/postgres.ts'
import { quickCheckOfSqlite } from '../../store/soundness/quick-check.ts'
import { soundnessOfSqlite } from '../../store/soundness/sqlite.ts'
import { heldKey, keyNameOf } from '../../store/sqlite.file.ts'
import { DATABASE_FILE, isLocked } from '../../store/sqlite.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type ReadTx } from '../../store/tx.ts'
import { askServer, figureIn, startIn } from '../ask-server.ts'
import { withoutPassword } from '../banner.ts'
import { addCommand } from '../help.ts'
import { courseOf, joinedSaid, sentenceHere } from '../replication-status.ts'
import { signsOf } from '../settings/database-gone.ts'
import { lookAtConfig } from '../settings/environment.ts'
import { counted, lasting, shortMoment } from '../words.ts'

export const statusCommand = (program: Command) =>
  addCommand(program, 'status', 'say how the server of this machine is', {
    examples: ['markbook status', 'markbook status && echo it runs'],
    exits: { 0: 'the server is running', 1: 'it runs, but cannot serve', 3: 'it is not running' },
  }).action(status)

type Settings = ReturnType<typeof lookAtConfig>

async function status() {
  const config = lookAtConfig()
  const note = readNote(config.dataDir)
  const url = note?.url ?? urlOf(config.tls === 'none' ? 'http' : 'https', 'localhost', config.port)
  const ready = await askServer(url, '/readyz')
  if (!ready) {
    const ended = note ? `; it ended without being stopped (it was started ${shortMoment(note.started_at)})` : ''
    console.log(`Markbook is not running${ended}.\n  To start it:   markbook start`)
    process.exitCode = 3
  } else if (config.role === 'school' && orNull(() => isLocked(config.dataDir)) === false) {
    console.log(`Markbook is not running on ${config.dataDir}: what answers at ${url} is another server, with marks of its own.`)
    console.log(`  Which?         Stop it, or give this one a PORT of its own; then: markbook start`)
    process.exitCode = 3
  } else if (ready.status !== 200) {
    console.log(`Something answers at ${url}, but it cannot serve: its database does not answer, or it is no Markbook.`)
    process.exitCode = 1
  } else {
    console.log(await running(url, note, config))
  }
  console.log([...(await marks(config)), ...(await ofContents(config)), ...certificate(config)].join('\n'))
}

async function running(url: string, note: RunningNote | null, config: Settings): Promise<string> {
  const lines = [`Markbook ${note ? `${note.version} ` : ''}is running: ${url}`]
  if (note && note.urls.length > 0) lines.push(`  For others:    ${note.urls.join('  ')}`)
  for (const duplicate of note?.duplicates ?? [])
    lines.push(`  TWO SERVERS:   ${duplicate} has the database of this school too; what to do: markbook doctor`)
  for (const other of note?.namesakes ?? [])
    lines.push(`  Same name:     ${other} is called ${LOCAL_NAME} here too; let people use the addresses above instead`)
  const figures = (await askServer(url, '/metrics'))?.text ?? ''
  if (note) {
    const now = systemClock.now()
    const since = startIn(figures, now) ?? Date.parse(note.started_at)
    lines.push(`  Since:         ${shortMoment(since)} (${lasting(now - since)}), process ${note.pid}`)
  }
  if (figureIn(figures, 'markbook_database_damaged') === 1)
    lines.push('  DAMAGED:       pages of the database cannot be read, or are wrong; what to do: markbook doctor')
  return [...lines, `  Mail:          ${mail(figures, config)}`].join('\n')
}

/** The state of the mail queue from the text of `/metrics`, which has no addresses. */
function mail(text: string, { smtpUrl }: Settings): string {
  if (!smtpUrl) return 'no mail server; sign-in codes are printed on the console'
  const waiting = figureIn(text, 'markbook_mail_queue')
  const isFailing = figureIn(text, 'markbook_mail_failing') === 1
  return `${isFailing ? 'cannot leave: the mail server does not take it' : 'by the mail server'}; ${waiting} waiting`
}

async function marks(config: Settings): Promise<string[]> {
  const { dataDir } = config
  const { whose, backup } = await newestHere(placeOf(config))
  const last = backup ? `${shortMoment(backup.at)} (${age(backup.at)}), ${backup.path}` : 'none yet'
  const path = join(dataDir, DATABASE_FILE)
  const sizes = ['', '-wal'].map((end) => statSync(path + end, { throwIfNoEntry: false })?.size ?? 0)
  const size = sizes.reduce((sum, each) => sum + each)
  const state = config.databaseUrl
    ? await centralState(config.databaseUrl)
    : await stateOf(config, size > 0 ? `${megabytes(size)} in ${path}` : `none yet in ${dataDir}`)
  return [
    `  School:        ${whose ? ownerText(whose) : 'none yet'}`,
    `  Database:      ${state}`,
    ...encryption(config),
    `  Last backup:   ${last}`,
    ...(whose && backup ? [`  Rehearsed:     ${rehearsed(lastRehearsal(config.backupDir, whose.id))}`] : []),
  ]
}

const age = (at: number) => {
  const passed = systemClock.now() - at
  return passed < 0 ? 'still to come: is the clock right?' : `${lasting(passed)} ago`
}

/** The state of the database of a centre, with its place. */
async function centralState(url: string): Promise<string> {
  const place = `PostgreSQL (${withoutPassword(url)})`
  const found = await soundnessOfPostgres(url, { quick: true, tell: () => {} })
  if (found.state === 'unreachable') return `${place} DOES NOT ANSWER; what to do: markbook doctor`
  if (found.state === 'absent') return `none yet in ${place}`
  if (found.state !== 'read') return `${place} CANNOT BE USED; what to do: markbook doctor`
  const size = `${megabytes(found.size)} in ${place}`
  return found.standing === 'newer' ? `${size}, ${NEWER}` : size
}

const NEWER = 'of a NEWER Markbook than this program; what to do: markbook doctor'

/** The state of a school's database: `sound`, or why the database cannot be used. */
async function stateOf(config: Settings, sound: string): Promise<string> {
  const { dataDir } = config
  const path = join(dataDir, DATABASE_FILE)
  if (isReadOnly(dataDir)) return `${path}, on a DISK THAT CAN ONLY BE READ; what to do: markbook doctor`
  const check = orNull(() => quickCheckOfSqlite(dataDir))?.state
  if (check === 'damaged') return `${path} is DAMAGED and cannot be opened; what to do: markbook doctor`
  const found = await soundnessOfSqlite(dataDir, { quick: true, tell: () => {} }).catch(() => null)
  if (found?.state === 'read' && found.standing === 'newer') return `${sound}, ${NEWER}`
  const isGone = (check === 'missing' || check === 'empty') && (await signsOf(config)).length > 0
  return isGone ? `${path} is GONE; what to do: markbook doctor` : sound
}

/** The line about encryption, for a laptop and for any encrypted database. */
function encryption({ role, dataDir }: Settings): string[] {
  if (role === 'centre') return []
  const key = keyNameOf(join(dataDir, DATABASE_FILE))
  if (key && heldKey(key)) return ['  Encrypted:     yes, with a key in the keyring of this account']
  if (key) return ['  Encrypted:     yes, and its KEY DID NOT COME from the keyring of this account; what to do: markbook doctor']
  return orNull(() => kindOf(dataDir)) === 'laptop' ? ['  Encrypted:     NO; what to do: markbook doctor'] : []
}

/** When a backup was last restored for trial and was whole, and the flaw of the last trial, if any. */
function rehearsed(last: Rehearsal | null): string {
  const sound = last?.sound ? Date.parse(last.sound.at) : null
  const success = sound === null ? 'never yet' : `${shortMoment(sound)} (${lasting(systemClock.now() - sound)} ago), and it came back whole`
  return last?.flaw
    ? `the last backup tried DID NOT COME BACK WHOLE (${shortMoment(Date.parse(last.at))}: ${last.flaw}); before: ${success}`
    : success
}

/** The state of replication, in the sentence of `GET /api/sync/status` and in numbers, and the last audit. */
async function ofContents(config: Settings): Promise<string[]> {
  // The doctor reports a database that cannot be opened.
  const store = await openStore(config, { beside: true }).catch(() => null)
  if (!store) return []
  try {
    const course = await courseOf(store, config.dataDir, systemClock.now())
    const lines = await store.read(asSystem(), async (tx) => [...(await upwards(tx, course)), ...(await downwards(tx))])
    return [...lines, ...(await audited(store))]
  } finally {
    await store.close()
  }
}

/** When the marks were last compared with their history, and the result; nothing for a laptop, which is not audited. */
async function audited(store: Store): Promise<string[]> {
  if (await store.read(asSystem(), laptopOwner)) return []
  const all = await lastAudits({ store, key: 'unchecked' })
  const bad = all.filter(({ run }) => run?.isBad)
  if (bad.length > 0)
    return [
      `  CONTRADICTED:  the history says something else than stands here, or was changed (${bad.map(({ name }) => name ?? 'people').join(', ')})`,
      '                 what to do: markbook audit',
    ]
  const times = all.map(({ run }) => run?.at ?? '').sort()
  const [oldest] = times
  return [
    `  Last audit:    ${oldest ? `${shortMoment(oldest)} (${lasting(systemClock.now() - Date.parse(oldest))} ago): nothing is contradicted` : 'none yet'}`,
  ]
}

async function upwards(tx: ReadTx, course: UpstreamStatus | null): Promise<string[]> {
  const [first] = await parentsOf(tx)
  if (!first?.school_id) return []
  const [school] = await tx.db.select({ id: tx.t.school.id }).from(tx.t.school).limit(1)
  if (!school) return [`  Replication:   ${joinedSaid(first, course).sentence}`]
  const now = await statusOf(tx, first.school_id, course)
  const { parent, waiting, open_conflicts, held, refused, last_seen_at } = now
  const heard = last_seen_at ? `last heard ${shortMoment(last_seen_at)}` : 'never heard'
  const numbers = `${waiting} waiting, ${open_conflicts} to decide, ${held} held, ${refused} refused`
  return [`  Replication:   ${sentenceHere(now, course)}`, `                 ${parent?.name ?? first.name}, ${heard}; ${numbers}`]
}

async function downwards(tx: ReadTx): Promise<string[]> {
  const children = await computersBelow(tx)
  if (children.length === 0) return []
  const [longest] = children.map(({ last_seen_at }) => last_seen_at ?? '').sort()
  const silent = longest ? `heard ${lasting(tx.nowMs - Date.parse(longest))} ago at the latest` : 'one never heard'
  const refused = await refusedUnseen(tx, 'below')
  const notTaken = refused === 0 ? '' : `; ${counted(refused, 'write')} of ${children.length === 1 ? 'it' : 'them'} not taken`
  return [`  Joined here:   ${children.length} ${children.length === 1 ? 'server or laptop' : 'servers and laptops'}, ${silent}${notTaken}`]
}

function certificate({ tls, dataDir }: Settings): string[] {
  const pair = typeof tls === 'object' ? readOperatorCertificate(tls, 0) : readCertificates(dataDir).server
  if (!pair) return []
  const days = Math.floor((expiryOf(pair) - systemClock.now()) / 86_400_000)
  return [
    `  Certificate:   ${days >= 0 ? `ends in ${counted(days, 'day')}` : 'has ended'}${typeof tls === 'object' ? '' : '; it is renewed by itself'}`,
  ]
}
