import type { AddressInfo } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { people, stBrigids } from '@markbook/shared/story/people'
import { afterEach, expect, test } from 'vitest'
import { sha256Of } from '../../files/digest.ts'
import { overloadProtection } from '../../http/overload.ts'
import { listen } from '../../lan/listener.ts'
import { invite } from '../../replication/identity/enrolment.ts'
import { overNetwork } from '../../replication/line/network.ts'
import { startReplication } from '../../replication/replication.ts'
import { joinParent } from '../../replication/upstream/join.ts'
import { asSystem } from '../../store/tx.ts'
import { type BadLine, badLineTo } from '../../testing/bad-line.ts'
import { type School, school } from '../../testing/school.ts'
import { downloadedAt, pdfOfSize, uploadedAt } from './files.fixtures.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A centre that listens, and a school behind a line that replicates by itself. */
async function live(): Promise<{ centre: School; box: School; line: BadLine }> {
  const centre = await school({ seed: 'centre' })
  const box = await school({ seed: 'box', story: false, database: 'sqlite' })
  ends.push(centre.close, box.close)
  const server = await listen(centre.app, { ...centre.services.config, host: '127.0.0.1', port: 0 }, null, {
    protection: overloadProtection(centre.services),
  })
  ends.push(() => new Promise((resolve) => server.close(resolve)))
  const line = await badLineTo(() => (server.address() as AddressInfo).port)
  ends.push(() => line.close())
  const { code } = await centre.services.store.write(asSystem(), (tx) =>
    invite(tx, { kind: 'school', schoolId: stBrigids, userId: null, by: people.okafor.id }),
  )
  await joinParent(box.services, { url: line.url, code, kind: 'school' }, overNetwork(new AbortController().signal))
  const replication = await startReplication(box.services)
  Object.assign(box.services, { replication })
  ends.push(() => replication.stop())
  await until(async () => replication.course().notice === 'up_to_date')
  return { centre, box, line }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await after(50)
}

const arrived = async (node: School, pdf: { id: string }) => /^[0-9a-f]{64}$/.test(await downloadedAt(node, pdf).catch(() => ''))

test('over a real line files come by themselves, both ways, also after it was cut in the middle of one', async () => {
  const { centre, box, line } = await live()
  const small = pdfOfSize(20_000)
  const up = await uploadedAt(box, small)
  await until(() => arrived(centre, up))
  expect(await downloadedAt(centre, up)).toBe(sha256Of(small))
  const down = await uploadedAt(centre, small)
  await until(() => arrived(box, down))
  expect(await downloadedAt(box, down)).toBe(sha256Of(small))
  const [large, largeDown] = [pdfOfSize(9_000_000), pdfOfSize(9_000_000)]
  const [first, second] = [await uploadedAt(box, large), await uploadedAt(centre, largeDown)]
  await until(async () => /file_away|^[0-9a-f]{64}$/.test(await downloadedAt(centre, first).catch(() => '')))
  line.cut()
  await after(300)
  // Time does not go by itself here, and what failed waits for its time.
  box.clock.advance(60_000)
  line.mend()
  await until(async () => (await arrived(centre, first)) && (await arrived(box, second)))
  expect(await downloadedAt(centre, first)).toBe(sha256Of(large))
  expect(await downloadedAt(box, second)).toBe(sha256Of(largeDown))
})
