import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import postgres from 'postgres'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { diskStorage } from '../../files/disk.ts'
import { createDatabase } from '../../testing/database.ts'
import { school } from '../../testing/school.ts'
import { knownMigrations, migratePostgres } from '../migrate.ts'
import { openSchoolStore } from '../store.ts'
import { asSystem } from '../tx.ts'
import { canBackUp, type Drill, drillOf } from './backup.fixtures.ts'
import { checkBackup } from './check.ts'
import { listBackups, nameOf, openBackup } from './manifest.ts'
import { beginRestore } from './restore.ts'
import { engineOf, takeBackup } from './take.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let drill: Drill
beforeEach(async () => {
  drill = drillOf(await school())
})
afterEach(() => drill.end())

const upload = (path: string, content: string) => {
  const full = join(drill.place.dataDir, 'files', path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, content)
}

describe.runIf(canBackUp)('a backup', () => {
  test('is a folder that only this account reads: the database, and what it is', async () => {
    const { place } = drill
    const { backup, warnings } = await takeBackup(place, { reason: 'nightly' })
    expect(warnings).toEqual([])
    expect(backup.name).toBe('2026-01-12T08-00-00Z-nightly')
    expect(readdirSync(backup.path)).toEqual(['manifest.json'])
    for (const path of [backup.path, ...readdirSync(backup.path).map((name) => join(backup.path, name))])
      expect(statSync(path).mode & 0o077).toBe(0)
    expect(backup.manifest).toMatchObject({
      reason: 'nightly',
      node_id: drill.st.services.store.nodeId,
      created_at: '2026-01-12T08:00:00.000Z',
    })
    expect(backup.manifest.counts[onPostgres ? 'grading.grade' : 'grade']).toBe(45)
    expect(backup.manifest.migrations.length).toBeGreaterThan(0)
  })

  test('two at once take turns; what a power cut left unfinished is swept away and never listed', async () => {
    const { place } = drill
    const unfinished = join(place.backupDir, '.unfinished-2026-01-11T08-00-00Z-nightly')
    mkdirSync(unfinished, { recursive: true })
    await Promise.all([takeBackup(place, { reason: 'manual' }), takeBackup(place, { reason: 'manual' })])
    expect(existsSync(unfinished)).toBe(false)
    expect(listBackups(place.backupDir).map(({ name }) => name)).toEqual(['2026-01-12T08-00-00Z-manual', '2026-01-12T08-00-00Z-manual-2'])
  })

  test('removes those whose time is over, and nothing else that lies there; --to removes nothing', async () => {
    const { place, st } = drill
    const own = join(place.backupDir, (await engineOf(place).whose()).id)
    for (let hour = 1; hour <= 30; hour += 1)
      mkdirSync(join(own, nameOf(st.clock.now() - hour * 3_600_000 - 10_000, 'hourly')), { recursive: true })
    mkdirSync(join(place.backupDir, 'as-it-was-2026-01-01'))
    const to = join(place.dataDir, 'elsewhere')
    await takeBackup(place, { reason: 'manual', to })
    expect(listBackups(to)).toHaveLength(1)
    expect(listBackups(place.backupDir)).toHaveLength(30)
    await takeBackup(place, { reason: 'hourly' })
    expect(listBackups(place.backupDir)).toHaveLength(24)
    expect(existsSync(join(place.backupDir, 'as-it-was-2026-01-01'))).toBe(true)
  })

  test('a folder that cannot be written to is said in one line', async () => {
    const file = join(drill.place.dataDir, 'a-file')
    writeFileSync(file, '')
    await expect(takeBackup(drill.place, { reason: 'manual', to: join(file, 'below') })).rejects.toThrow(
      /^No backup was made: .* is not a folder\.$/,
    )
  })
})

describe.runIf(canBackUp)('uploaded files', () => {
  test('are part of it, take their room once, and come back; those that are newer stay', async () => {
    const { place, st } = drill
    upload('reports/a.pdf', 'the first card')
    upload('images/b.png', 'a face')
    await takeBackup(place, { reason: 'hourly' })
    st.clock.advance(1_000)
    const { backup } = await takeBackup(place, { reason: 'manual' })
    expect(backup.manifest.files.map(({ path, size }) => [path, size])).toEqual([
      ['images/b.png', 6],
      ['reports/a.pdf', 14],
    ])
    expect(statSync(join(backup.path, 'files', 'reports/a.pdf')).ino).toBe(statSync(join(place.dataDir, 'files', 'reports/a.pdf')).ino)
    rmSync(join(place.dataDir, 'files', 'reports'), { recursive: true })
    upload('reports/c.pdf', 'a later card')
    await st.services.store.close()
    const restoring = await beginRestore(place, backup.path)
    st.clock.advance(1_000)
    expect(await restoring.carryOut()).toMatchObject({ files: 1 })
    await restoring.done()
    const there = (path: string) => readFileSync(join(place.dataDir, 'files', path), 'utf8')
    expect([there('reports/a.pdf'), there('images/b.png'), there('reports/c.pdf')]).toEqual(['the first card', 'a face', 'a later card'])
  })

  test('as the storage keeps them come back with type and hash; what is still being uploaded stays out', async () => {
    const { place, st } = drill
    const folder = join(place.dataDir, 'files')
    const files = diskStorage({ folder, clock: st.clock, floor: 0 })
    const put = (path: string, text: string, overwrite = false) =>
      files.put('report-books', path, Buffer.from(text), { contentType: 'application/pdf', overwrite })
    const stored = await put('a/card.pdf', 'the first card')
    await put('a/other.pdf', 'another card')
    upload('.uploads/abc', 'half of')
    upload('.unfinished/def/content', 'half of')
    const { backup } = await takeBackup(place, { reason: 'manual' })
    expect(backup.manifest.files.filter(({ path }) => path.startsWith('.'))).toEqual([])
    expect(backup.manifest.files).toHaveLength(4)
    await put('a/card.pdf', 'something else', true)
    await files.remove('report-books', 'a/other.pdf')
    await st.services.store.close()
    const restoring = await beginRestore(place, backup.path)
    await restoring.carryOut()
    await restoring.done()
    expect(await files.head('report-books', 'a/card.pdf')).toEqual(stored)
    expect((await files.list('report-books', { prefix: '', limit: 9 })).map(({ path, size }) => [path, size])).toEqual([
      ['a/card.pdf', 14],
      ['a/other.pdf', 12],
    ])
  })

  test('a damaged one is named, and left out where the person goes on', async () => {
    const { place, st } = drill
    upload('reports/a.pdf', 'the first card')
    const { backup } = await takeBackup(place, { reason: 'manual' })
    writeFileSync(join(backup.path, 'files', 'reports/a.pdf'), 'the worst card')
    await st.services.store.close()
    const restoring = await beginRestore(place, backup.path)
    expect(restoring.plan.damaged.map(({ path }) => path)).toEqual(['reports/a.pdf'])
    expect(await restoring.carryOut()).toMatchObject({ files: 0 })
    await restoring.done()
  })
})

describe.runIf(canBackUp)('the second folder', () => {
  const withCopy = (copyDir: string) => ({ ...drill.place, copyDir })

  test('has the same backup, whole and verified, and is thinned like the first', async () => {
    const copyDir = join(drill.place.dataDir, 'usb')
    mkdirSync(copyDir)
    upload('reports/a.pdf', 'the first card')
    const place = withCopy(copyDir)
    const own = join(copyDir, (await engineOf(place).whose()).id)
    for (let hour = 1; hour <= 30; hour += 1)
      mkdirSync(join(own, nameOf(drill.st.clock.now() - hour * 3_600_000 - 10_000, 'hourly')), { recursive: true })
    const { backup, warnings } = await takeBackup(place, { reason: 'hourly' })
    expect(warnings).toEqual([expect.stringMatching(/is on the same disk as the first/)])
    const copy = openBackup(join(own, backup.name))
    expect(copy.manifest).toEqual(backup.manifest)
    expect(readFileSync(join(copy.path, 'files', 'reports/a.pdf'), 'utf8')).toBe('the first card')
    expect(await checkBackup(copy, engineOf(place), join(drill.place.dataDir, 'scratch'))).toEqual([])
    expect(listBackups(copyDir)).toHaveLength(24)
  })

  test('a disk that is not plugged in is a warning, and the backup is made', async () => {
    const missing = withCopy(join(drill.place.dataDir, 'no-disk'))
    const { backup, warnings } = await takeBackup(missing, { reason: 'hourly' })
    expect(warnings).toEqual([expect.stringMatching(/is not there\. Is the disk plugged in\?$/)])
    expect(openBackup(backup.path).manifest).toEqual(backup.manifest)
    expect(existsSync(join(drill.place.dataDir, 'no-disk'))).toBe(false)
  })

  test.runIf(existsSync('/sys/kernel'))('a folder that takes nothing is said in words, and the backup is made', async () => {
    const { backup, warnings } = await takeBackup(withCopy('/sys/kernel'), { reason: 'hourly' })
    expect(warnings).toEqual(['The backup could not be copied: /sys/kernel may not be written to by this account.'])
    expect(openBackup(backup.path).manifest).toEqual(backup.manifest)
  })

  test.runIf(existsSync('/dev/shm') && statSync('/dev/shm').dev !== statSync('/tmp').dev)(
    'the empty place where a disk was mounted is not taken for the disk',
    async () => {
      // The database may lie in memory itself.
      const isInMemory = statSync(drill.place.dataDir).dev === statSync('/dev/shm').dev
      const disk = mkdtempSync(isInMemory ? '/tmp/markbook-' : '/dev/shm/markbook-')
      const { warnings } = await takeBackup(withCopy(disk), { reason: 'hourly' })
      expect(warnings).toEqual([])
      expect(listBackups(disk)).toHaveLength(1)
      rmSync(disk, { recursive: true })
      const place = join(drill.place.dataDir, 'mount')
      mkdirSync(place)
      writeFileSync(join(drill.place.backupDir, 'copies-on-another-disk'), place)
      expect((await takeBackup(withCopy(place), { reason: 'hourly' })).warnings).toEqual([
        expect.stringMatching(/is away\. Is it plugged in\?$/),
      ])
      expect(readdirSync(place)).toEqual([])
    },
  )
})

describe.skipIf(onPostgres)('before a migration', () => {
  const calls: string[] = []
  const open = (folder: string, before: () => Promise<void>) =>
    openSchoolStore(folder, { clock: drill.st.clock, newId: drill.place.newId, role: 'school', beforeMigration: before })

  test('a database that is behind is backed up first; a new or current one is not', async () => {
    const { place, st } = drill
    const before = async () => {
      calls.push((await takeBackup(behind, { reason: 'migration' })).backup.name)
    }
    const folder = join(place.dataDir, 'behind')
    const behind = { ...place, dataDir: folder, backupDir: join(folder, 'backups') }
    await (await open(folder, before)).close()
    await (await open(folder, before)).close()
    expect(calls).toEqual([])
    const [first] = knownMigrations('sqlite')
    const connection = new Database(join(folder, 'markbook.sqlite'))
    const added = {
      history: ['source_id', 'detail', 'proof'],
      sync_refused: ['peer_id', 'node_id', 'counter', 'parent_id'],
      sync_peer: ['compared_at', 'difference', 'wipe_asked_at', 'wiped_at'],
      session: ['program', 'system', 'address', 'proved_at'],
      grade: ['status'],
      school: ['mark_codes', 'approves_reports', 'personal_data_for', 'school_days', 'document_language'],
      report_book: ['approved_at', 'approved_by', 'sent_back_at', 'sent_back_by', 'sent_back_reason', 'sent_back_hash'],
    }
    connection.exec('drop index history_of_deletions; drop index history_by_time')
    const tables = [
      'teaching_set_member',
      'teaching_set_teacher',
      'teaching_set',
      'assessment_category',
      'attendance_mark',
      'attendance_register',
      'audit_run',
      'school_invitation',
      'account_notice',
      'server_instance',
      'passkey',
      'second_factor',
    ]
    for (const table of tables) connection.exec(`drop table ${table}`)
    for (const [table, columns] of Object.entries(added))
      for (const column of columns) connection.exec(`alter table ${table} drop column ${column}`)
    connection.prepare('delete from __drizzle_migrations where created_at > ?').run(first)
    connection.pragma('user_version = 1')
    const [id, none] = ['00000000-0000-4000-8000-000000000001', '{}']
    connection.exec(`insert into history (id, school_id, seq, node_seq, at, node_id, entity, row_id, near_id, action, changes, head)
      values ('${id}', '${id}', 1, 1, '2026-01-12T08:00:00.000Z', '${id}', 'school', '${id}', '${id}', 'create', '${none}', '')`)
    connection.close()
    const migrated = await open(folder, before)
    expect(
      await migrated.read(asSystem(), ({ db, t }) => db.select({ id: t.history.id, source: t.history.source_id }).from(t.history)),
    ).toEqual([{ id, source: null }])
    await migrated.close()
    expect(calls).toEqual(['2026-01-12T08-00-00Z-migration'])
    expect(openBackup(listBackups(behind.backupDir)[0]?.path ?? '').manifest.migrations).toEqual([first])
    await (await open(folder, before)).close()
    expect(calls).toHaveLength(1)
    st.clock.advance(1)
  })

  test('where the backup fails nothing is migrated', async () => {
    const folder = join(drill.place.dataDir, 'behind')
    await (await open(folder, async () => {})).close()
    const connection = new Database(join(folder, 'markbook.sqlite'))
    connection.exec('update __drizzle_migrations set created_at = 1')
    connection.close()
    const bytes = readFileSync(join(folder, 'markbook.sqlite'))
    await expect(open(folder, () => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full')
    expect(readFileSync(join(folder, 'markbook.sqlite')).equals(bytes)).toBe(true)
  })
})

describe.skipIf(onPostgres)('a database that cannot be copied', () => {
  test('none, or one that is not of Markbook', async () => {
    const folder = join(drill.place.dataDir, 'other')
    const place = { ...drill.place, dataDir: folder, backupDir: join(folder, 'backups') }
    mkdirSync(folder)
    await expect(takeBackup(place, { reason: 'manual' })).rejects.toThrow('No backup was made. There is no database to back up yet.')
    const connection = new Database(join(folder, 'markbook.sqlite'))
    connection.exec('create table recipe (name text)')
    connection.close()
    await expect(takeBackup(place, { reason: 'manual' })).rejects.toThrow(
      /^No backup was made \(what to do: markbook doctor\)\. .* is no database of Markbook\.$/,
    )
    expect(listBackups(place.backupDir)).toEqual([])
    expect(readdirSync(place.backupDir)).toEqual(['backup.lock'])
  })

  test('one whose rows have lost what they belong to', async () => {
    const { place, st } = drill
    await st.services.store.close()
    const connection = new Database(join(place.dataDir, 'markbook.sqlite'))
    connection.pragma('foreign_keys = OFF')
    connection.exec('delete from student')
    connection.close()
    await expect(takeBackup(place, { reason: 'manual' })).rejects.toThrow(/rows have lost what they belong to/)
    expect(listBackups(place.backupDir)).toEqual([])
  })
})

describe.runIf(onPostgres && canBackUp)('a central database whose user is no superuser', () => {
  test('is copied whole in spite of row-level security, and put back', async () => {
    const cluster = inject('postgresUrl')
    const sql = postgres(cluster, { max: 1, onnotice: () => {} })
    const role = `owner_${process.pid}`
    await sql.unsafe(`create role ${role} login createdb password 'secret'; grant markbook_app, markbook_system to ${role}`)
    const { url, drop } = await createDatabase(cluster)
    const name = new URL(url).pathname.slice(1)
    const mine = `${name}_mine`
    await sql.unsafe(`create database ${mine} owner ${role}`)
    const own = Object.assign(new URL(cluster), { pathname: `/${mine}`, username: role, password: 'secret' }).href
    try {
      await migratePostgres(own)
      const { openCentralStore } = await import('../store.ts')
      const { loadStory } = await import('../../cli/seed/seed.ts')
      const store = await openCentralStore(own, { clock: drill.st.clock, newId: drill.place.newId, role: 'centre' })
      await loadStory(store)
      await store.close()
      const place = { ...drill.place, databaseUrl: own }
      const { backup } = await takeBackup(place, { reason: 'nightly' })
      expect(backup.manifest.counts).toMatchObject({ 'grading.grade': 45, 'student.student': expect.any(Number) })
      const restoring = await beginRestore(place, backup.path)
      expect(restoring.plan.grades).toEqual({ inBackup: 45, now: 45 })
      drill.st.clock.advance(1_000)
      await restoring.carryOut()
      await restoring.done()
      expect((await takeBackup(place, { reason: 'nightly' })).backup.manifest.counts).toMatchObject({ 'grading.grade': 45, 'sync.node': 2 })
    } finally {
      for (const { datname } of await sql`select datname from pg_database where datname like ${`${mine}%`}`)
        await sql`drop database ${sql(datname)} with (force)`
      await drop()
      await sql.unsafe(`drop owned by ${role}; drop role ${role}`)
      await sql.end()
    }
  })

  describe('into an empty database', () => {
    const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => {} })
    const empty = `markbook_empty_${process.pid}`
    const role = `filler_${process.pid}`
    const unfinished = `${empty}_restoring_20260101000000`
    const names = async () =>
      (await sql`select datname from pg_database where datname like ${`${empty}%`} order by 1`).map((row) => row['datname'])
    const urlOf = (more: object) => Object.assign(new URL(inject('postgresUrl')), { pathname: `/${empty}`, ...more }).href
    beforeEach(() => sql.unsafe(`create database ${empty}`))
    afterEach(async () => {
      for (const name of await names()) await sql`drop database ${sql(name)} with (force)`
      await sql.unsafe(`drop role if exists ${role}`)
    })
    afterAll(() => sql.end())

    const restoreInto = async (databaseUrl: string, progress = (_what: string) => {}, warnings: unknown[] = []) => {
      const { backup } = await takeBackup(drill.place, { reason: 'nightly' })
      const there = { ...drill.place, databaseUrl }
      const restoring = await beginRestore(there, backup.path)
      expect(restoring.plan).toMatchObject({ hasDatabase: false, grades: { inBackup: 45, now: null } })
      try {
        expect(await restoring.carryOut(progress)).toMatchObject({ keptIn: null, warnings })
      } finally {
        await restoring.done()
      }
      expect(await engineOf(there).countsNow()).toMatchObject({ 'grading.grade': 45 })
    }

    test('leaves one database, and drops what an interrupted restore of it left', async () => {
      for (const name of [unfinished, `${empty}_restoring_by_hand`, `${empty}_two_restoring_20260101000000`])
        await sql.unsafe(`create database ${name}`)
      await restoreInto(urlOf({}))
      expect(await names()).toEqual([empty, `${empty}_restoring_by_hand`, `${empty}_two_restoring_20260101000000`])
    })

    test('that breaks off leaves it empty: a server would else go on there under the old number of its node', async () => {
      const breaking = (what: string) => {
        if (what === 'Bringing it to this version') throw new Error('The power failed.')
      }
      await expect(restoreInto(urlOf({}), breaking)).rejects.toThrow('The power failed.')
      expect(await engineOf({ ...drill.place, databaseUrl: urlOf({}) }).exists()).toBe(false)
      expect(await names()).toEqual([empty])
    })

    test('keeps what somebody began in it meanwhile', async () => {
      let begun: Promise<unknown> | undefined
      const begin = () => {
        if (begun) return
        const other = postgres(urlOf({}), { max: 1, onnotice: () => {} })
        begun = other.unsafe('create table mark (score int)').then(() => other.end())
      }
      await restoreInto(urlOf({}), begin, [expect.stringContaining(`${empty}_before_`)])
      await begun
      const [kept = ''] = (await names()).filter((name) => name !== empty)
      const before = postgres(Object.assign(new URL(urlOf({})), { pathname: `/${kept}` }).href, { max: 1 })
      expect(await before`select count(*)::int as count from mark`).toMatchObject([{ count: 0 }])
      await before.end()
    })

    test('goes directly for a role that may not create another', async () => {
      await sql.unsafe(`create role ${role} login password 'secret' in role markbook_app, markbook_system`)
      await sql.unsafe(`alter database ${empty} owner to ${role}`)
      await restoreInto(urlOf({ username: role, password: 'secret' }))
    })
  })
})

test.skipIf(onPostgres)('what is carried away with --to is a plain database that any program reads', async () => {
  const { backup } = await takeBackup(drill.place, { reason: 'manual', to: join(drill.place.dataDir, 'to-carry') })
  const copy = join(drill.place.dataDir, 'copy.sqlite')
  cpSync(join(backup.path, 'markbook.sqlite'), copy)
  const connection = new Database(copy, { readonly: true })
  expect(connection.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(connection.prepare('select count(*) from grade').pluck().get()).toBe(45)
  connection.close()
})
