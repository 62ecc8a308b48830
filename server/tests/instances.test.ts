import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { demandSameSecret, recordSecretFingerprint } from '../features/auth/secret-fingerprint.ts'
import { enterInstance } from '../files/instances.ts'
import { silentLog } from '../http/log.ts'
import { keysOf } from '../http/tokens.ts'
import { startServer } from '../start.ts'
import { asSystem } from '../store/tx.ts'
import { type School, school } from '../testing/school.ts'

const onPostgres = process.env['TEST_DATABASE'] === 'postgres'

describe.runIf(onPostgres)('servers of one central database', () => {
  let st: School
  let folder: string
  const running: { stop(): Promise<void> }[] = []
  beforeEach(async () => {
    st = await school()
    folder = mkdtempSync(join(tmpdir(), 'markbook-instances-'))
  })
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop()
    await st.close()
    rmSync(folder, { recursive: true })
  })

  const s3 = { endpoint: 'http://s3', region: '', accessKeyId: '', secretAccessKey: '', bucketPrefix: '' }
  const enter = async (name: string, more: { s3?: typeof s3; sharedFiles?: boolean } = {}) => {
    const settings = { dataDir: join(folder, name), s3: null, sharedFiles: false, ...more }
    const one = await enterInstance(st.services.store, settings, name)
    running.push(one)
    return one
  }
  const listed = () => st.services.store.readOnce(async (tx) => tx.db.select().from(tx.t.server_instance))

  test('a second one with a folder of its own is refused with a page that says what to set, and is not entered', async () => {
    await enter('one')
    await expect(enter('other')).rejects.toThrow(/^Another server of this database runs on one[\s\S]*S3_ENDPOINT[\s\S]*SHARED_FILES/)
    await expect(enter('with-s3', { s3 })).rejects.toThrow('in another place')
    expect((await listed()).map(({ host }) => host)).toEqual(['one'])
  })

  test('one that is refused leaves the fingerprint of the secret with which the others work', async () => {
    const { store } = st.services
    const keys = keysOf('the secret of the servers that run, long enough')
    const { hasOthers } = await enter('one')
    await recordSecretFingerprint(store, keys, { log: silentLog, hasOthers })
    const refused = (more: Record<string, string>) =>
      startServer(
        readConfig({
          DATABASE_URL: st.database.url,
          DATA_DIR: join(folder, 'other'),
          PORT: '0',
          SESSION_SECRET: 'another secret than the one of the others',
          LOG_LEVEL: 'silent',
          ...more,
        }),
      )
    await expect(refused({})).rejects.toThrow('Another server of this database runs on one')
    await expect(refused({ DATA_DIR: join(folder, 'one') })).rejects.toThrow('works with another SESSION_SECRET')
    await store.read(asSystem(), (tx) => demandSameSecret(tx, keys))
    expect((await listed()).map(({ host }) => host)).toEqual(['one'])
  })

  test('of two that start at once one is refused', async () => {
    const both = await Promise.allSettled([enter('one'), enter('other')])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test.each([
    ['S3', { s3 }],
    ['a folder that is said to be shared', { sharedFiles: true }],
  ])('two with %s both run', async (_, more) => {
    const [one, other] = [await enter('one', more), await enter('other', more)]
    expect([one.hasOthers, other.hasOthers]).toEqual([false, true])
    expect(await listed()).toHaveLength(2)
  })

  test('in one folder a second runs, and one that was cut off starts again; in a copy of that folder none does', async () => {
    await enter('one')
    await enter('one')
    cpSync(join(folder, 'one'), join(folder, 'copy'), { recursive: true })
    await expect(enter('copy')).rejects.toThrow('Another server')
  })

  test('one that has stopped, or has said nothing for long, is in nobody’s way', async () => {
    await (await enter('one')).stop()
    await enter('other')
    await st.services.store.write(asSystem(), ({ connection }) =>
      connection.run("update public.server_instance set seen_at = now() - interval '1 minute'", []),
    )
    await enter('third')
  })
})
