import { randomBytes } from 'node:crypto'
import { invite } from '@markbook/server/peers/enrolment'
import { openCentralStore } from '@markbook/server/store/store'
import { asSystem } from '@markbook/server/store/tx'
import { systemClock } from '@markbook/shared/clock'
import { idSource } from '@markbook/shared/ids'
import type { Invited } from './programs/child.ts'

const options = { clock: systemClock, newId: idSource(systemClock.now, (size) => randomBytes(size)), kind: 'centre' as const }

/** Work in a central database, while its server runs or before. */
export async function atCentre<T>(url: string, work: (store: Awaited<ReturnType<typeof openCentralStore>>) => Promise<T>): Promise<T> {
  const store = await openCentralStore(url, { ...options, beside: true })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** An invitation of a school's server, that is good for ten minutes and once. `school` null: it brings its own. */
export const invitation = (url: string, port: number, schoolId: string | null): Promise<Invited> =>
  atCentre(url, async (store) => {
    const { code } = await store.write(asSystem(), (tx) => invite(tx, { kind: 'school', schoolId, userId: null, by: null }))
    return { url: `http://127.0.0.1:${port}`, code }
  })
