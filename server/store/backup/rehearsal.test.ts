import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { limits } from '@markbook/shared/limits'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { school } from '../../testing/school.ts'
import { canBackUp, contentsOf, type Drill, databaseFileOf, drillOf } from './backup.fixtures.ts'
import { BackupError, contentIn, listBackups, nameOf, sealed, writeManifest } from './manifest.ts'
import { rehearse } from './rehearsal.ts'
import { lastRehearsal } from './rehearsal-record.ts'
import { engineOf, takeBackup } from './take.ts'

const [HOUR, DAY, WEEK] = [3_600_000, 86_400_000, limits.backup.rehearsalEveryMs]
let drill: Drill
beforeEach(async () => {
  drill = drillOf(await school())
})
afterEach(() => drill.end())
const take = async () => (await takeBackup(drill.place, { reason: 'nightly' })).backup
const last = async () => lastRehearsal(drill.place.backupDir, (await engineOf(drill.place).whose()).id)

describe.runIf(canBackUp)('a rehearsal', () => {
  test('puts the newest back beside the running server, remembers that it came back whole, and leaves nothing', async () => {
    const { place, st } = drill
    await expect(rehearse(place)).rejects.toThrow('There is no backup yet that could be rehearsed.')
    await take()
    st.clock.advance(HOUR)
    const backup = await take()
    const before = await st.digest()
    expect(await rehearse(place)).toMatchObject({ path: backup.path, rehearsal: { backup: backup.name, flaw: null } })
    expect(await last()).toEqual({
      at: '2026-01-12T09:00:00.000Z',
      backup: backup.name,
      flaw: null,
      sound: { at: '2026-01-12T09:00:00.000Z', backup: backup.name },
    })
    expect(readdirSync(dirname(backup.path)).filter((name) => name.startsWith('.'))).toEqual([])
    expect(await st.digest()).toBe(before)
  })

  test('once a week, of however many programs that share the folder', async () => {
    const { place, st } = drill
    await take()
    const both = await Promise.all([rehearse(place, { ifDue: true }), rehearse(place, { ifDue: true })])
    expect(both.filter(Boolean)).toHaveLength(1)
    st.clock.advance(WEEK - 1)
    expect(await rehearse(place, { ifDue: true })).toBeNull()
    st.clock.advance(1)
    expect(await rehearse(place, { ifDue: true })).not.toBeNull()
  })

  test('says what is wrong, and the last one that was proved stays, however old it grows', async () => {
    const { place, st } = drill
    const proved = await take()
    await rehearse(place)
    for (let month = 0; month < 5; month += 1) {
      st.clock.advance(30 * DAY)
      const backup = await take()
      writeManifest(backup.path, sealed({ ...contentsOf(backup), size: 7 }, contentIn(backup) ?? undefined))
      const { rehearsal } = (await rehearse(place)) ?? {}
      expect(rehearsal).toMatchObject({ backup: backup.name, flaw: expect.stringMatching(/is damaged: .* bytes long and was 7\.$/) })
      expect(rehearsal?.sound?.backup).toBe(proved.name)
    }
    const before = st.clock.now()
    st.clock.advance(400 * DAY)
    for (let week = 1; week <= 40; week += 1) mkdirSync(join(dirname(proved.path), nameOf(before + week * 9 * DAY, 'nightly')))
    await take()
    const kept = listBackups(place.backupDir).map(({ name }) => name)
    expect(kept).toHaveLength(25)
    expect(kept).toContain(proved.name)
    await rehearse(place)
    await take()
    expect(existsSync(proved.path)).toBe(false)
  })

  test('a flipped bit in its store is a flaw', async () => {
    const backup = await take()
    const file = databaseFileOf(backup)
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1)
    writeFileSync(file, bytes)
    expect((await rehearse(drill.place))?.rehearsal).toMatchObject({ flaw: expect.stringMatching(/is damaged: the pack/), sound: null })
  })
})

test.runIf(canBackUp)('those whose time is over go before room is asked for', async () => {
  const { place, st } = drill
  const own = join(place.backupDir, (await engineOf(place).whose()).id)
  const backups = () => readdirSync(own).filter((name) => name.startsWith('20')).length
  /** A disk with room for one backup as long as at most one other lies there. */
  const small = {
    ...place,
    needRoom: async () => {
      if (backups() > 1) throw new BackupError('The disk is nearly full.')
    },
  }
  await takeBackup(place, { reason: 'hourly' })
  // Two of one hour, of which the older one's time is over: made where nothing was removed.
  st.clock.advance(1_000)
  const other = await takeBackup(place, { reason: 'restore' })
  renameSync(other.backup.path, other.backup.path.replace('-restore', '-hourly'))
  expect(backups()).toBe(2)
  st.clock.advance(HOUR)
  await takeBackup(small, { reason: 'hourly' })
  expect(backups()).toBe(2)
})
