import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedStory } from '../../cli/seed/seed.ts'
import { keyNameOf } from '../../store/sqlite.file.ts'
import { DATABASE_FILE } from '../../store/sqlite.ts'
import { filesSaying } from '../../testing/laptop-database.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { hasSecretService, type SecretService, startSecretService } from '../../testing/secret-service.ts'
import { Node, until } from './network.ts'

if (!hasSecretService) console.log('SKIPPED: a laptop with a real keyring; gnome-keyring and dbus are not on this machine.')

let school: Node
let laptop: Node
let service: SecretService
beforeAll(async () => {
  if (!hasSecretService) return
  buildProgram()
  service = await startSecretService()
  school = await Node.make('the school')
  await school.prepare((store) => seedStory(store))
  await school.start()
  laptop = await Node.make('Ada’s laptop')
  laptop.settings = { DBUS_SESSION_BUS_ADDRESS: service.address }
})
afterAll(async () => {
  for (const node of [laptop, school]) await node?.remove()
  await endPrograms()
  await service?.stop()
})

/** Pupils of the story. */
const PUPILS = ['Oisín', 'Fatima']

test.runIf(hasSecretService)('a laptop joins, copies, backs up and comes back with its key in a real keyring', async () => {
  // A code that is refused leaves what the next one begins with.
  expect(await laptop.verb('join', school.line.url, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A', '--laptop')).toMatchObject({ exit: 1 })
  await laptop.joinAndStart(school, ['--laptop', people.ada.email, '--school', 'St Brigid’s'], ['--laptop'])
  const key = keyNameOf(join(laptop.folder, DATABASE_FILE))
  expect(key).toMatch(/^[0-9a-f]{16}$/)
  expect(await laptop.done('status')).toContain('Encrypted:     yes')
  await until(async () => /Everything is at/.test((await laptop.verb('sync', 'status')).text), 'the first copy')
  await laptop.done('backup')
  await laptop.stop()
  const plain = filesSaying(laptop.folder, [...PUPILS, 'SQLite format 3'])
  // What a lock is made of is a database too, and holds nothing.
  expect(plain.filter((name) => !name.endsWith('.lock'))).toEqual([])
  expect(filesSaying(school.folder, PUPILS)).not.toEqual([])

  await laptop.start()
  await laptop.stop()
  laptop.settings = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }
  const before = readFileSync(join(laptop.folder, DATABASE_FILE))
  expect(await laptop.verb('start')).toMatchObject({
    exit: 1,
    text: expect.stringContaining('the keyring that has its key does not answer'),
  })
  expect(readFileSync(join(laptop.folder, DATABASE_FILE)).equals(before)).toBe(true)
  expect((await laptop.verb('status')).text).toContain('its KEY DID NOT COME')

  laptop.settings = { DBUS_SESSION_BUS_ADDRESS: service.address }
  expect(await laptop.done('restore', '--latest', '--yes')).toMatch(/restored|back/i)
  await laptop.start()
  expect(keyNameOf(join(laptop.folder, DATABASE_FILE))).toBe(key)
})
