import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stBrigids } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { canBackUp, contentsOf, type Drill, drillOf } from './backup.fixtures.ts'
import { type Backup, listBackups, nameOf } from './manifest.ts'
import { ownerOfBackup } from './own.ts'
import { beginRestore, knownBackups, latestBackup, newestHere } from './restore.ts'
import { type BackupLocation, engineOf, takeBackup } from './take.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const HOUR = 3_600_000

/** A diocese: two schools that back up to one folder, and copy to one disk. */
let brigids: Drill
let marys: Drill
let disk: string
let shared: Pick<BackupLocation, 'backupDir' | 'copyDir'>
beforeEach(async () => {
  brigids = drillOf(await school())
  marys = drillOf(await school({ seed: 'another' }))
  await marys.st.services.store.write(asSystem(), async (tx) => {
    const before = await tx.find('school', stBrigids, stBrigids)
    if (before) await tx.update('school', [{ before, patch: { name: 'St Mary’s' } }])
  })
  disk = mkdtempSync(join(tmpdir(), 'markbook-diocese-'))
  shared = { backupDir: join(disk, 'first'), copyDir: join(disk, 'second') }
  mkdirSync(join(disk, 'second'))
})
afterEach(async () => {
  await brigids.end()
  await marys.end()
  rmSync(disk, { recursive: true, force: true })
})
const at = (drill: Drill): BackupLocation => ({ ...drill.place, ...shared })
const BRIGIDS = /St Brigid’s/
const MARYS = /St Mary’s/

/** As the program before wrote it: among those of all databases, with a manifest that does not say whose it is. */
function inTheOldWay(backup: Backup, folder: string): string {
  const { database_id, school, ...old } = contentsOf(backup)
  const contents = { format: 'markbook-backup/1', ...old }
  const seal = createHash('sha256').update(JSON.stringify(contents)).digest('hex')
  const path = join(folder, backup.name)
  renameSync(backup.path, path)
  writeFileSync(join(path, 'manifest.json'), JSON.stringify({ ...contents, seal }))
  return path
}

describe.runIf(canBackUp)('two schools with one folder for backups and one second folder', () => {
  test('each has a folder of its own there, and neither thins, proposes or counts what is the other’s', async () => {
    const first = (await takeBackup(at(brigids), { reason: 'hourly' })).backup
    for (const { clock } of [brigids.st, marys.st]) clock.advance(1_000)
    const second = (await takeBackup(at(marys), { reason: 'hourly' })).backup
    // Of one hour one alone is kept: were they of one school, the first would be gone.
    for (const folder of [shared.backupDir, shared.copyDir as string]) {
      const [one, other] = listBackups(folder)
      expect([one?.databaseId, other?.databaseId]).toEqual([(await ownerOfBackup(first))?.id, (await ownerOfBackup(second))?.id])
      expect([one?.name, other?.name]).toEqual([first.name, second.name])
      expect(readdirSync(join(folder, one?.databaseId ?? ''))).toContain('README.txt')
    }
    expect((await ownerOfBackup(first))?.school).toMatch(BRIGIDS)
    expect((await ownerOfBackup(second))?.school).toMatch(MARYS)
    expect((await latestBackup(at(brigids))).path).toBe(first.path)
    expect((await latestBackup(at(marys))).path).toBe(second.path)
    expect((await newestHere(at(brigids))).copy?.name).toBe(first.name)
    expect((await newestHere(at(marys))).copy?.name).toBe(second.name)
    expect((await knownBackups(at(brigids))).map(({ path }) => path)).toEqual([first.path, second.path])
  })

  test('what is being written by one is not swept away by the other', async () => {
    const half = join(shared.copyDir as string, (await engineOf(at(marys)).whose()).id, '.unfinished-2026-01-12T08-00-00Z-hourly')
    mkdirSync(half, { recursive: true })
    expect((await takeBackup(at(brigids), { reason: 'hourly' })).warnings).toEqual([expect.stringMatching(/same disk/)])
    expect(existsSync(half)).toBe(true)
  })

  test('a restore refuses the other’s and names both schools, and takes it where its school is named', async () => {
    const { backup } = await takeBackup(at(marys), { reason: 'manual' })
    await brigids.st.services.store.close()
    const refused = beginRestore(at(brigids), backup.path)
    await expect(refused).rejects.toThrow(
      /^The backup .* is of .*St Mary’s.*, and the database here is of .*St Brigid’s.*--school ".*St Mary’s.*"\. Nothing was changed\.$/,
    )
    await expect(beginRestore(at(brigids), backup.path, 'Kilkenny')).rejects.toThrow(/is of .*St Mary’s.*, and not of Kilkenny\./)
    await expect(latestBackup(at(brigids))).rejects.toThrow(
      /^There is no backup of .*St Brigid’s.* in .*\nThere are backups of .*St Mary’s/,
    )
    const named = "hilltop-marker school AND st mary's"
    expect((await latestBackup(at(brigids), named)).path).toBe(backup.path)
    const restoring = await beginRestore(at(brigids), backup.path, named)
    expect(restoring.plan.whose?.school).toMatch(MARYS)
    await restoring.carryOut()
    await restoring.done()
    expect((await engineOf(at(brigids)).whose()).school).toMatch(MARYS)
  })

  test('on a new machine nothing is chosen among several schools, and the only one is', async () => {
    const { backup } = await takeBackup(at(brigids), { reason: 'manual' })
    const fresh = { ...at(brigids), dataDir: join(disk, 'fresh'), databaseUrl: null }
    expect((await latestBackup(fresh)).path).toBe(backup.path)
    await takeBackup(at(marys), { reason: 'manual' })
    await expect(latestBackup(fresh)).rejects.toThrow(
      /several schools here. Say which:\n {2}--school .*St (Brigid|Mary)’s.*\n {2}--school /,
    )
    const { id } = await engineOf(at(brigids)).whose()
    expect((await latestBackup(fresh, id)).path).toBe(backup.path)
  })

  test('a backup of the old format is known by its database: its own school moves it and thins it, another leaves it where it lies', async () => {
    const { backup } = await takeBackup(at(marys), { reason: 'hourly', to: join(disk, 'plain') })
    const old = inTheOldWay(backup, shared.backupDir)
    expect((await ownerOfBackup({ path: old }))?.school).toMatch(MARYS)
    expect((await latestBackup(at(marys))).path).toBe(old)
    mkdirSync(join(shared.backupDir, nameOf(brigids.st.clock.now() - 10_000, 'hourly')))
    await takeBackup(at(brigids), { reason: 'hourly' })
    expect(existsSync(old)).toBe(true)
    marys.st.clock.advance(2 * HOUR)
    await takeBackup(at(marys), { reason: 'hourly' })
    expect(existsSync(old)).toBe(false)
    const { id } = await engineOf(at(marys)).whose()
    const moved = (await knownBackups(at(marys))).find(({ name, whose }) => name === backup.name && whose?.id === id)
    expect(moved?.path).toBe(join(shared.backupDir, id, backup.name))
    // What cannot be read is nobody's, and nobody takes it away.
    expect(listBackups(shared.backupDir).filter(({ databaseId }) => databaseId === null)).toHaveLength(1)
    await marys.st.services.store.close()
    const restoring = await beginRestore(at(marys), moved?.path ?? '')
    expect(restoring.plan.whose?.school).toMatch(MARYS)
    await restoring.carryOut()
    await restoring.done()
  })
})

test.skipIf(onPostgres)('where the database is gone or damaged, its folder says whose it was', async () => {
  const { backup } = await takeBackup(at(brigids), { reason: 'manual' })
  await takeBackup(at(marys), { reason: 'manual' })
  await brigids.st.services.store.close()
  for (const damage of [
    () => writeFileSync(join(brigids.place.dataDir, 'markbook.sqlite'), 'x'.repeat(9_000)),
    () => rmSync(join(brigids.place.dataDir, 'markbook.sqlite')),
  ]) {
    damage()
    expect((await latestBackup(at(brigids))).path).toBe(backup.path)
  }
})
