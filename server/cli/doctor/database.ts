import { limits } from '@markbook/shared/limits'
import type { Standing } from '../../store/migrate.ts'
import type { Damage, Read, Soundness } from '../../store/soundness/soundness.ts'
import { bytes, counted } from '../words.ts'
import { type Finding, findings, fine, notice, problem } from './finding.ts'

/**
 * `where`: the data folder, or «PostgreSQL». `backup`: the path of the newest backup, null where there is none. `signs`: where the database
 * is missing, what shows that there was one.
 */
export type DatabaseFound = { where: string; central: boolean; soundness: Soundness; backup: string | null; signs: readonly string[] }

export function checkDatabase(found: DatabaseFound): Finding[] {
  const { soundness, where, signs } = found
  if (signs.length > 0) return gone(found)
  if (soundness.state === 'absent' && soundness.isForbidden)
    return problem('database', {
      what: 'There is nothing of Markbook in the database of DATABASE_URL yet, and its user may not make it.',
      means: 'The server cannot start. There are no marks here; if there should be, DATABASE_URL names another database than it used to.',
      do: 'Compare DATABASE_URL in markbook config. Is it right, let the user own the database and make roles (alter database … owner to …; alter role … createrole), and start the server.',
    })
  if (soundness.state === 'absent')
    return notice('database', {
      what: found.central ? 'There is nothing of Markbook in the database of DATABASE_URL yet.' : `There is no database in ${where} yet.`,
      means: `There are no marks here; if there should be, ${found.central ? 'DATABASE_URL names another database' : 'DATA_DIR names another folder'} than it used to.`,
      do: `Compare ${setting(found)} in markbook config; a new school is made by the first markbook start.`,
    })
  if (soundness.state !== 'read') return unusable(found, soundness)
  const standing = checkStanding(soundness.standing)
  const damaged = soundness.damage.flatMap((damage) => checkDamage(found, damage))
  const all = [...standing, ...damaged, ...room(soundness)]
  if (standing.some(({ severity }) => severity === 'problem') || damaged.length > 0) return all
  return [...fine('database', soundness.isWhole ? wholeOf(soundness) : glanceOf(soundness)), ...all]
}

const wholeOf = ({ size }: Read) => `The database (${bytes(size)}) was read whole: its rows, their versions and their history are sound.`
const glanceOf = ({ size, marks }: Read) =>
  `The database (${bytes(size)}${marks === null ? '' : `, about ${counted(marks, 'mark')}`}) answers and is of this version; its rows were not read.`

const restoring = ({ backup, central }: DatabaseFound) =>
  backup
    ? `Stop the server, copy ${central ? 'the database' : 'the folder of the marks'} to a safe place, then: markbook restore --latest (${backup}).`
    : 'Stop the server, copy everything to a safe place, and ask for help: there is no backup that could be restored.'

/** A start refuses in the same way (`demandNothingLost`), so that no empty school begins there. */
const gone = (found: DatabaseFound): Finding[] => {
  const { where, signs, backup, central } = found
  return problem('database', {
    what: `The database in ${where} is gone. Found there: ${signs.join('; ')}.`,
    means: 'No mark can be read or saved here; what the last backup holds can be brought back.',
    do: `${central ? 'Does' : 'Is a disk not plugged in, or does'} ${setting(found)} name the wrong one? Else: markbook restore ${backup ? `--latest (${backup})` : 'with a backup that lies elsewhere'}`,
  })
}

const setting = ({ central }: DatabaseFound) => (central ? 'DATABASE_URL' : 'DATA_DIR')

function unusable(found: DatabaseFound, soundness: Extract<Soundness, { detail: string }>): Finding[] {
  const { detail } = soundness
  if (soundness.state === 'unreadable')
    return problem('database', {
      what: `The database in ${found.where} is damaged and cannot be opened (${detail}).`,
      means: 'No mark can be read or saved; what the last backup holds can be brought back.',
      do: restoring(found),
    })
  if (soundness.state === 'read-only' && found.central)
    return problem('database', {
      what: 'PostgreSQL lets the database of DATABASE_URL only be read: it is a standby, or was set so.',
      means: 'No mark can be saved; what was saved is there.',
      do: 'Name the server that writes in DATABASE_URL, or let this one write again (alter database … set default_transaction_read_only = off), and start the servers again.',
    })
  if (soundness.state === 'read-only')
    return problem('database', {
      what: `The disk of ${found.where} can only be read, and the database on it cannot be opened.`,
      means: 'No mark can be saved; what was saved is there. A disk that begins to fail is often made so by the system.',
      do: 'Copy that folder to another disk, start the machine again, and have the disk looked at.',
    })
  if (soundness.state === 'no markbook')
    return problem('database', {
      what: `The database in ${found.where} is not one of Markbook.`,
      means: 'There are no marks here; if there should be, DATA_DIR or DATABASE_URL names the wrong place.',
      do: 'Compare both in markbook config.',
    })
  if (soundness.state === 'locked')
    return problem('database', {
      what: `The database in ${found.where} is encrypted, and its key did not come from the keyring of this account.`,
      means: 'No mark can be read or saved here until it does. What this laptop had sent is at its school.',
      do: 'Sign in at the desktop of the account whose folder it is, unlock its keyring, and run this there; markbook start says what to do where the key is gone.',
    })
  if (soundness.state === 'log gone')
    return problem('database', {
      what: `The newest marks of the database in ${found.where} lie in markbook.sqlite-wal, which was deleted or moved.`,
      means: 'Opened without that file, the database would lose them; so nothing opens it.',
      do: 'Does a server still run on it? Stop it, and do not kill it: it saves them as it ends. Else put the file back; markbook start says what to do where it cannot be found.',
    })
  if (soundness.state === 'refused')
    return problem('database', {
      what: found.central
        ? `PostgreSQL does not let this program use the database of DATABASE_URL (${detail}).`
        : `The database in ${found.where} may not be read by this account (${detail}).`,
      means: 'Nothing can be said of the marks.',
      do: found.central
        ? 'Check the user, password and name in DATABASE_URL; a database that is not there yet is made with createdb.'
        : 'Run this as the account of the server, or with sudo.',
    })
  return problem('database', {
    what: `The database of DATABASE_URL does not answer (${detail}).`,
    means: 'No mark can be read or saved until it answers; what was saved is safe with it.',
    do: 'Start PostgreSQL, and check the machine and port in DATABASE_URL.',
  })
}

function checkStanding(standing: Standing): Finding[] {
  if (standing === 'newer')
    return problem('database', {
      what: 'The database is of a newer Markbook than this program.',
      means: 'The server does not start, so that it cannot spoil marks that it does not understand.',
      do: 'Install the newer version again.',
    })
  if (standing === 'older')
    return notice('database', {
      what: 'The database is of an older Markbook than this program.',
      means: 'The marks are safe; the next start makes a backup and brings the database to this version.',
      do: 'Start the server, or: markbook migrate',
    })
  return []
}

function checkDamage(found: DatabaseFound, { kind, count, detail }: Damage): Finding[] {
  if (kind === 'history')
    return problem('database', {
      what: `The history of the marks was changed at ${counted(count, 'place')} (${detail}).`,
      means: 'The marks are there, but who wrote them and when can no longer be proved for these places.',
      do: 'Find out who had access to the machine, and compare with an older backup; ask for help before you change anything.',
    })
  if (kind === 'versions')
    return problem('database', {
      what: `${counted(count, 'row')} of the database and their versions do not fit together (${detail}).`,
      means: 'The marks can be read here, but other servers may not hear of them.',
      do: restoring(found),
    })
  const what = {
    pages: `The file of the database is damaged at ${count >= 20 ? 'many places' : counted(count, 'place')} (${detail}).`,
    orphans: `${counted(count, 'row')} of the database have lost what they belong to (${detail}).`,
    checksums: `PostgreSQL found ${counted(count, 'damaged page')} on its disk (${detail}).`,
  }[kind]
  return problem('database', {
    what,
    means: 'Some marks cannot be read, or are wrong; the disk of this machine may be dying.',
    do: restoring(found),
  })
}

function room({ log, unused, size }: Extract<Soundness, { state: 'read' }>): Finding[] {
  return findings(
    log > limits.doctor.largeLogBytes &&
      notice('database', {
        what: `${bytes(log)} of changes wait beside the database to be brought into it.`,
        means: 'No mark is in danger; the next start takes longer, and the disk fills sooner.',
        do: 'markbook doctor --fix brings them in.',
        fix: 'log',
      }),
    unused > limits.doctor.unusedBytes &&
      unused > size / 4 &&
      notice('database', {
        what: `The file of the database holds ${bytes(unused)} of empty room.`,
        means: 'No mark is concerned; backups are larger than they need be.',
        do: 'Stop the server, then: markbook doctor --fix',
        fix: 'room',
      }),
  )
}
