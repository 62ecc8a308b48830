import { type App, createApp } from '../app/app.ts'
import type { Services } from '../http/services.ts'
import type { Store } from '../store/store.ts'
import type { WriteTx } from '../store/tx.ts'

/** Carries the result of a write out of its transaction; throwing it rolls the transaction back. */
class Undone extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('undone')
    this.result = result
  }
}

/** A store whose writes do all their work, including history entries, and are then rolled back. */
const dryStore = (store: Store): Store => ({
  ...store,
  write: <T>(identity: Parameters<Store['write']>[0], fn: (tx: WriteTx) => Promise<T>) =>
    store
      .write(identity, async (tx): Promise<T> => {
        const result = await fn(tx)
        await (tx as WriteTx & { finish(): Promise<void> }).finish()
        throw new Undone(result)
      })
      .catch((error: unknown) => {
        if (error instanceof Undone) return error.result as T
        throw error
      }),
})

/** The whole app over the same data, where every request is rolled back: no row, mail or cache entry remains. */
export const rollbackApp = (services: Services): App =>
  createApp({
    ...services,
    store: dryStore(services.store),
    cache: {
      get: async () => undefined,
      set: async () => {},
      getText: async () => undefined,
      setText: async () => {},
      close: async () => {},
    },
    mailer: { ...services.mailer, send: () => {} },
  })
