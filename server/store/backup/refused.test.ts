import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { people } from '@markbook/shared/story/people'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { school } from '../../testing/school.ts'
import { canBackUp, contentsOf, type Drill, databaseFileOf, drillOf } from './backup.fixtures.ts'
import { checkBackup } from './check.ts'
import { openBackup, sealed, writeManifest } from './manifest.ts'
import { beginRestore } from './restore.ts'
import { engineOf, takeBackup } from './take.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'
let drill: Drill
beforeEach(async () => {
  drill = drillOf(await school())
})
afterEach(() => drill.end())

describe.runIf(canBackUp)('what is refused', () => {
  const refused = async (given: string, pattern: RegExp) => expect(beginRestore(drill.place, given)).rejects.toThrow(pattern)

  test('while a server runs', async () => {
    const { backup } = await takeBackup(drill.place, { reason: 'manual' })
    await refused(
      backup.path,
      onPostgres ? /connections to the database .* are open\. Stop every server/ : /The server is running on .*Stop it first/,
    )
  })

  test.each(['alone', 'by content'])('a flipped bit anywhere in one that lies %s: never anything but what was written', async (how) => {
    const { place, st } = drill
    const to = join(place.dataDir, 'to-carry')
    const { backup } = await takeBackup(place, { reason: 'manual', ...(how === 'alone' && { to }) })
    const engine = engineOf(place)
    const before = await st.digest()
    for (const [path, flips] of [
      [databaseFileOf(backup), onPostgres ? 60 : 120],
      [join(backup.path, 'manifest.json'), 400],
    ] as const) {
      const name = basename(path)
      const sound = readFileSync(path)
      for (let flip = 0; flip < flips; flip += 1) {
        const at = Math.floor((flip * sound.length) / flips)
        const damaged = Buffer.from(sound)
        damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (flip % 8)), at)
        writeFileSync(path, damaged)
        const outcome = await Promise.resolve()
          .then(async () => {
            const opened = openBackup(backup.path)
            await checkBackup(opened, engine)
            return opened.manifest
          })
          .catch((error: Error) => error)
        if (outcome instanceof Error) expect(outcome.message).toMatch(/^The backup .* (?:is damaged|was made by a newer)/)
        // Bits that mean nothing: white space of a manifest, the last bits of a compressed block.
        else expect(isDeepStrictEqual(outcome, backup.manifest) && name !== engine.file).toBe(true)
      }
      for (const length of [0, 1, sound.length >> 1, sound.length - 1]) {
        writeFileSync(path, sound.subarray(0, length))
        // Without its last line feed a manifest is whole.
        if (name === 'manifest.json' && length === sound.length - 1) continue
        await expect(Promise.resolve().then(() => checkBackup(openBackup(backup.path), engine))).rejects.toThrow(/is damaged/)
      }
      writeFileSync(path, sound)
    }
    expect(await checkBackup(openBackup(backup.path), engine)).toEqual([])
    expect(await st.digest()).toBe(before)
  })

  test('one of a newer Markbook, one of the other database, what is no backup, what is not there', async () => {
    const { st, place } = drill
    const { backup } = await takeBackup(place, { reason: 'manual', to: join(place.dataDir, 'to-carry') })
    await st.services.store.close()
    const contents = contentsOf(backup)
    writeManifest(backup.path, sealed({ ...contents, migrations: [...contents.migrations, 9_999_999_999_999] }))
    await refused(backup.path, /was made by a newer Markbook.*ends with -migration. Nothing was changed/)
    writeFileSync(join(backup.path, 'manifest.json'), JSON.stringify({ format: 'markbook-backup/4', more: true }))
    await refused(backup.path, /was made by a newer Markbook/)
    writeManifest(backup.path, sealed({ ...contents, database: onPostgres ? 'sqlite' : 'postgres' }))
    await refused(backup.path, onPostgres ? /a school’s own server/ : /a central server \(PostgreSQL\)/)
    writeManifest(backup.path, sealed({ ...contents, counts: { ...contents.counts, [onPostgres ? 'grading.grade' : 'grade']: 46 } }))
    await refused(backup.path, /do not hold the rows that were counted/)
    mkdirSync(join(place.dataDir, 'photos'))
    await refused(join(place.dataDir, 'photos'), /is not a backup of Markbook/)
    await refused(
      join(place.dataDir, 'to-carry'),
      new RegExp(`is a folder of backups, and not one of them\\. The newest there: markbook restore ${backup.path}$`),
    )
    await refused(join(place.dataDir, 'nowhere'), /There is no backup at/)
    const store = await drill.open()
    expect((await drill.contents(store))['grade']).toHaveLength(45)
    await store.close()
  })

  test('a manifest that points outside of the folder of the files', () => {
    const digest = '0'.repeat(64)
    const contents = {
      database: 'sqlite',
      created_at: '2026-01-12T08:00:00.000Z',
      reason: 'manual',
      node_id: people.ada.id,
      database_id: people.ada.id,
      school: null,
      migrations: [],
      counts: {},
      file: 'markbook.sqlite',
      size: 1,
      digest,
    } as const
    for (const path of ['../session-secret', '/etc/passwd', 'a/../../b', 'C:\\x', '..\\x'])
      expect(() => sealed({ ...contents, migrations: [], files: [{ path, size: 1, digest }] })).toThrow()
    expect(sealed({ ...contents, migrations: [], files: [{ path: 'reports/a..b/1.pdf', size: 1, digest }] }).files).toHaveLength(1)
  })
})
