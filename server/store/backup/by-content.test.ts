import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { school } from '../../testing/school.ts'
import { asSystem } from '../tx.ts'
import { canBackUp, type Drill, databaseFileOf, drillOf } from './backup.fixtures.ts'
import { checkBackup } from './check.ts'
import { type Backup, type Counts, contentIn, listBackups, openBackup, sealed } from './manifest.ts'
import { beginRestore, knownBackups } from './restore.ts'
import { engineOf, takeBackup } from './take.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
const HOUR = 3_600_000
const subjectsIn = (counts: Counts | null) => Object.entries(counts ?? {}).find(([table]) => /(^|\.)subject$/.test(table))?.[1]
let drill: Drill
beforeEach(async () => {
  drill = drillOf(await school())
})
afterEach(() => drill.end())

const scratch = () => join(drill.place.dataDir, 'scratch')
const check = (backup: Backup) => checkBackup(openBackup(backup.path), engineOf(drill.place), scratch())
const storeOf = (backup: Backup) => join(dirname(backup.path), 'content')
const bytesIn = (folder: string) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
const take = (reason: 'hourly' | 'manual' = 'hourly', place = drill.place) => takeBackup(place, { reason })

/** A subject with a name of its own, so that something changes. */
const change = (number: number) =>
  drill.st.services.store.write(asSystem(), async (tx) => {
    const school_id = (await tx.db.select().from(tx.t.school))[0]?.id ?? ''
    await tx.insert('subject', [
      { id: tx.newId(), school_id, name: `Subject ${number}`, code: `S${number}`, sort_order: 1, is_active: true },
    ])
  })

async function hourly(count: number, every = HOUR): Promise<Backup[]> {
  const taken: Backup[] = []
  for (let number = 0; number < count; number += 1) {
    await change(drill.st.clock.now())
    drill.st.clock.advance(every)
    taken.push((await take()).backup)
  }
  return taken
}

describe.runIf(canBackUp)('backups stored by content', () => {
  test('nine of three hours take a part of what they hold; each that is kept is whole, and of those removed nothing is left', async () => {
    const all = await hourly(9, HOUR / 3)
    const kept = listBackups(drill.place.backupDir)
    expect(kept.length).toBeLessThan(6)
    for (const { path } of kept) expect(await check(openBackup(path))).toEqual([])
    const [last] = all.slice(-1) as [Backup]
    expect(bytesIn(storeOf(last))).toBeLessThan(last.manifest.size * 2)
    const named = new Set(kept.flatMap(({ path }) => contentIn(openBackup(path))?.packs ?? []))
    expect(new Set(readdirSync(storeOf(last)))).toEqual(new Set([...named].map((name) => `${name}.pack`)))
    for (const name of readdirSync(storeOf(last))) expect(statSync(join(storeOf(last), name)).mode & 0o077).toBe(0)
  })

  test('one comes back, and one of the old kind beside it too', async () => {
    const plain = await takeBackup(drill.place, { reason: 'manual', to: join(drill.place.dataDir, 'plain') })
    const [first] = await hourly(1)
    renameSync(plain.backup.path, join(dirname(first?.path ?? ''), plain.backup.name))
    await hourly(2)
    const known = await knownBackups(drill.place)
    expect(known.map(({ path }) => openBackup(path).manifest.format)).toEqual([
      'markbook-backup/2',
      'markbook-backup/3',
      'markbook-backup/3',
      'markbook-backup/3',
    ])
    await drill.st.services.store.close()
    for (const { path } of known) {
      drill.st.clock.advance(HOUR)
      const subjects = subjectsIn(openBackup(path).manifest.counts)
      expect(subjects).toBeGreaterThan(0)
      const restoring = await beginRestore(drill.place, path)
      await restoring.carryOut()
      await restoring.done()
      expect(subjectsIn(await engineOf(drill.place).countsNow())).toBe(subjects)
      expect(readdirSync(drill.place.dataDir).filter((name) => name.includes('restoring'))).toEqual([])
    }
  })

  test('the folder of one alone is refused in one line, and the whole folder elsewhere is not', async () => {
    const [backup] = (await hourly(2)).slice(-1) as [Backup]
    const alone = join(drill.place.dataDir, 'usb', backup.name)
    cpSync(backup.path, alone, { recursive: true })
    await drill.st.services.store.close()
    await expect(beginRestore(drill.place, alone)).rejects.toThrow(
      /^The backup .* is not complete by itself: its database is in the folder content beside it, which is not there\..*Nothing was changed\.$/,
    )
    cpSync(storeOf(backup), join(drill.place.dataDir, 'usb', 'content'), { recursive: true })
    rmSync(drill.place.backupDir, { recursive: true })
    const restoring = await beginRestore(drill.place, alone)
    await restoring.carryOut()
    await restoring.done()
  })

  test('a flipped bit in what several share: the next backup says so and is whole, and from then on the others are too', async () => {
    const [first] = (await hourly(1)) as [Backup]
    const pack = databaseFileOf(first)
    const bytes = readFileSync(pack)
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 4, bytes.length >> 1)
    writeFileSync(pack, bytes)
    await expect(check(first)).rejects.toThrow(
      /is damaged: the pack [0-9a-f]{64}, in which a part of it lies, is damaged\. Nothing was changed\.$/,
    )
    drill.st.clock.advance(HOUR)
    const { backup, warnings } = await take()
    expect(warnings).toEqual([expect.stringMatching(/^Parts of older backups in .* are damaged.*stored anew/)])
    expect(await check(backup)).toEqual([])
    // The first bytes of a dump say when it was made; here the damaged block has them, too, and they are nowhere else.
    if (!onPostgres) expect(await check(first)).toEqual([])
    drill.st.clock.advance(HOUR)
    expect((await take()).warnings).toEqual([])
  })

  test('a pack that somebody deleted: its backups are refused by name, and the next one is whole', async () => {
    const [first] = (await hourly(1)) as [Backup]
    rmSync(databaseFileOf(first))
    await expect(check(first)).rejects.toThrow(/is damaged: the pack [0-9a-f]{64}, in which a part of it lies, is missing or damaged\./)
    drill.st.clock.advance(HOUR)
    const { backup, warnings } = await take()
    expect(warnings).toEqual([])
    expect(await check(backup)).toEqual([])
  })

  test('what an interrupted one left is removed; of a damaged manifest every pack that it names stays', async () => {
    const [first] = (await hourly(1)) as [Backup]
    const store = storeOf(first)
    const [pack] = readdirSync(store)
    writeFileSync(join(store, '.unfinished-3'), 'half of')
    writeFileSync(join(store, `${'0'.repeat(64)}.pack`), 'of nobody')
    writeFileSync(join(first.path, 'manifest.json'), readFileSync(join(first.path, 'manifest.json'), 'utf8').replace('hourly', 'hourlz'))
    await hourly(1)
    expect(readdirSync(store)).toContain(pack)
    expect(readdirSync(store).filter((name) => name.startsWith('.') || name.startsWith('0000'))).toEqual([])
  })

  test('the second folder has a store of its own, complete without the first', async () => {
    const copyDir = join(drill.place.dataDir, 'usb')
    mkdirSync(copyDir)
    const place = { ...drill.place, copyDir }
    for (let number = 0; number < 3; number += 1) {
      await change(number)
      drill.st.clock.advance(HOUR)
      await take('hourly', place)
    }
    rmSync(drill.place.backupDir, { recursive: true })
    const copies = listBackups(copyDir)
    expect(copies).toHaveLength(3)
    for (const { path } of copies) expect(await check(openBackup(path))).toEqual([])
  })

  test('a manifest whose packs lie elsewhere is refused', async () => {
    const [{ manifest }] = (await hourly(1)) as [Backup]
    const { format, seal, ...contents } = manifest as Extract<Backup['manifest'], { format: 'markbook-backup/3' }>
    for (const name of ['../../session-secret', '/etc/passwd', 'a'.repeat(63), `${'a'.repeat(64)}/..`])
      expect(() => sealed(contents, { packs: [name], runs: [] })).toThrow()
    expect(existsSync(scratch())).toBe(false)
  })
})
