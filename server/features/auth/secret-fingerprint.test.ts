import { afterAll, beforeAll, expect, test } from 'vitest'
import { keysOf } from '../../http/tokens.ts'
import { asSystem } from '../../store/tx.ts'
import { type School, school } from '../../testing/school.ts'
import { demandSameSecret, recordSecretFingerprint } from './secret-fingerprint.ts'

let st: School
beforeAll(async () => {
  st = await school({ story: false })
})
afterAll(() => st.close())

const warnings: unknown[] = []
const log = { warn: (...said: unknown[]) => void warnings.push(said) }
const left = () => st.services.store.read(asSystem(), (tx) => tx.db.select().from(tx.t.server_secret))
const demand = (secret: string) => st.services.store.read(asSystem(), (tx) => demandSameSecret(tx, keysOf(secret)))
const [first, second] = ['the first secret of this server, long enough', 'the second secret of this server, long enough']

test('a server stores a fingerprint of its secret once, and logs where another one was stored', async () => {
  await demand(first)
  await recordSecretFingerprint(st.services.store, keysOf(first), { log, hasOthers: false })
  const [mark] = await left()
  st.clock.advance(1_000)
  await recordSecretFingerprint(st.services.store, keysOf(first), { log, hasOthers: false })
  expect(await left()).toEqual([mark])
  expect(mark?.mark).toMatch(/^[0-9a-f]{16}$/)
  await demand(first)
  await expect(demand(second)).rejects.toThrow('another SESSION_SECRET')
  expect(warnings).toEqual([])

  const others = recordSecretFingerprint(st.services.store, keysOf(second), { log, hasOthers: true })
  await expect(others).rejects.toThrow(/^Another server of this database works with another SESSION_SECRET; /)
  await recordSecretFingerprint(st.services.store, keysOf(first), { log, hasOthers: true })
  await demand(first)
  expect(warnings).toEqual([])
  await recordSecretFingerprint(st.services.store, keysOf(second), { log, hasOthers: false })
  expect(warnings).toHaveLength(1)
  await demand(second)
  await expect(demand(first)).rejects.toThrow('another SESSION_SECRET')
})
