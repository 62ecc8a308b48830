import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { elan, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { seedStory } from '../../cli/seed/seed.ts'
import { readWipeNote } from '../../replication/identity/wipe-note.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { ask } from '../durability/teacher.ts'
import { arrives, enter, says, signIn, statusAt } from './at-nodes.ts'
import { after, Node, until } from './network.ts'

// The parent's side is tested on both databases in scenarios/wiping.test.ts; a laptop has SQLite alone.
describe.skipIf(process.env['TEST_DATABASE'] === 'postgres')('a laptop that its school has erased', () => {
  const nodes: Node[] = []
  beforeAll(buildProgram)
  afterAll(endPrograms)
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.remove()
    await endPrograms()
  })

  /** A school with the story, and Ada's laptop under it with a mark of hers and a backup. */
  async function schoolAndLaptop() {
    const [school, laptop] = [await Node.make('the school'), await Node.make('Ada’s laptop')]
    nodes.push(school, laptop)
    await school.prepare((store) => seedStory(store))
    await school.start()
    await laptop.joinAndStart(school, ['--laptop', people.ada.email, '--school', 'St Brigid’s'], ['--laptop'])
    await laptop.copied()
    const cookie = await signIn(laptop, 'ada')
    await enter(laptop, cookie, zoe, 81)
    await says(laptop, cookie, /^Everything is at school\.$/)
    await laptop.done('backup')
    return { school, laptop, cookie }
  }
  const erased = (laptop: Node) => until(async () => readWipeNote(laptop.folder)?.isErased === true, `the erasing of ${laptop.name}`)
  const listed = (school: Node, pattern: RegExp) =>
    until(async () => pattern.test(await school.done('node', 'list')), `${pattern} in the list`)

  /** Nothing of the school is in the folder, and it answers as a computer that belongs to nobody. */
  async function expectErased(laptop: Node) {
    expect(readdirSync(join(laptop.folder, 'backups')).filter((name) => name !== 'backup.lock')).toEqual([])
    expect(existsSync(join(laptop.folder, 'files'))).toBe(false)
    for (const name of readdirSync(laptop.folder).filter((each) => each.startsWith('markbook.sqlite') || each.endsWith('secret')))
      expect(readFileSync(join(laptop.folder, name)).includes('Adeyemi')).toBe(false)
    const ways = JSON.parse((await ask({ port: laptop.port as number, path: '/api/auth/ways' })).text)
    expect(ways.erased).toMatchObject({ by: 'the school' })
    expect(await laptop.done('sync', 'status')).toMatch(
      /^There is no school here yet\.\nThis laptop was erased on .*, at the request of the school/,
    )
    expect(await laptop.done('node', 'list')).toMatch(/^No other computer takes part yet\./)
  }

  test('asked for at the console, while a mark waits: the mark comes to the school, and the laptop begins as anybody’s', async () => {
    const { school, laptop, cookie } = await schoolAndLaptop()
    school.line.cut()
    await enter(laptop, cookie, elan, 82)
    const before = readFileSync(join(laptop.folder, 'markbook.sqlite'))
    expect(before.includes('Adeyemi') || readFileSync(join(laptop.folder, 'markbook.sqlite-wal')).includes('Adeyemi')).toBe(true)
    expect(await school.done('node', 'wipe', 'Ada’s laptop', '--yes')).toMatch(/^Ada’s laptop is to be erased, since .*\. It does so when/)
    expect(await school.done('node', 'list')).toMatch(/to be erased, asked on /)
    school.line.mend()
    await erased(laptop)
    await arrives(school, elan, 82)
    expect(await school.done('node', 'list')).toMatch(/erased on /)
    await until(
      async () => (await ask({ port: laptop.port as number, path: '/readyz' }).catch(() => null))?.status === 200,
      'its new start',
    )
    await expectErased(laptop)
    expect(laptop.output()).toMatch(/This laptop was erased on .*, at the request of the school: .*\n.*needs a new invitation/)
    expect((await ask({ port: laptop.port as number, path: '/api/sync/status', cookie })).status).toBe(401)
    // Somebody else may have it.
    await laptop.stop()
    await laptop.joinAndStart(school, ['--laptop', people.byrne.email, '--school', 'St Brigid’s'], ['--laptop'])
    await laptop.copied()
    await says(laptop, await signIn(laptop, 'byrne'), /^Everything is at school\.$/)
    expect(JSON.parse((await ask({ port: laptop.port as number, path: '/api/auth/ways' })).text).erased).toBeUndefined()
  })

  test('killed half way, at its note and while it erases: its next start goes on, and the school hears of it', async () => {
    const { school, laptop } = await schoolAndLaptop()
    await laptop.stop()
    await school.done('node', 'wipe', 'Ada’s laptop', '--yes')
    await laptop.start()
    for (;;) {
      if (readWipeNote(laptop.folder)) break
      await after(1)
    }
    await laptop.kill()
    const note = readWipeNote(laptop.folder)
    // As if the power had gone a moment later, among the files.
    rmSync(join(laptop.folder, 'session-secret'), { force: true })
    rmSync(join(laptop.folder, 'markbook.sqlite'), { force: true })
    if (note?.isErased === false)
      expect((await laptop.verb('restore', '--latest', '--yes')).text).toMatch(/is being erased, as the school of this laptop asked/)
    school.line.cut()
    await laptop.start()
    await erased(laptop)
    await expectErased(laptop)
    school.line.mend()
    await laptop.stop()
    await laptop.start()
    await listed(school, /erased on /)
    expect(readWipeNote(laptop.folder)).toMatchObject({ isErased: true, lastWord: null })
  })

  test('revoked or dismissed, it says what it holds and what to do', async () => {
    const { school, laptop, cookie } = await schoolAndLaptop()
    await school.done('node', 'revoke', 'Ada’s laptop', '--yes')
    await says(
      laptop,
      cookie,
      /revoked this laptop.* still holds \d+ pupils and \d+ marks of St Brigid’s, as they were on \d{4}-\d\d-\d\d at the latest\. .*ask there for a new code; else let them erase it/,
    )
    expect(await laptop.verb('sync', 'status')).toMatchObject({
      exit: 3,
      text: expect.stringMatching(/still holds \d+ pupils and \d+ marks of St Brigid’s/),
    })
    const holds = JSON.parse((await ask({ port: laptop.port as number, path: '/api/sync/holdings', cookie })).text)
    expect(holds).toMatchObject({ why: 'revoked', school: 'St Brigid’s' })
    expect(holds.pupils).toBeGreaterThan(5)
    expect((await statusAt(laptop, cookie)).state).toBe('revoked')
  })
})
