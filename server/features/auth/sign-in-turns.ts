import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { Counts } from '../../http/counts.ts'
import type { Exchange } from '../../http/handler.ts'
import type { Store } from '../../store/store.ts'
import { asSystem, type WriteTx } from '../../store/tx.ts'
import { boundedNetworks } from './wrong-tries.ts'

type Bounds = { concurrent: number; queued: number; perKey: number; timeoutMs: number; refusalDelayMs: number }
type Waiting = { keys: readonly string[]; begin: () => void }

const busy = () => common.busy({ headers: { 'retry-after': '2' } })

/**
 * A queue: `concurrent` run at once, and one of each key, first come, first served. A request that waits for its key is overtaken by those
 * of other keys.
 */
export class SignInTurns {
  readonly #held = new Set<string>()
  readonly #line: Waiting[] = []
  readonly #waitingFor = new Counts()
  #inside = 0

  constructor(private readonly bounds: Bounds) {}

  /** Resolves with the function that ends the turn. Throws 503 `busy` where too many wait, or this one has waited too long. */
  take(keys: readonly string[]): Promise<() => void> {
    const { queued, perKey, timeoutMs, refusalDelayMs } = this.bounds
    return new Promise((resolve, reject) => {
      const isFull = this.#line.length >= queued || keys.some((key) => this.#waitingFor.of(key) >= perKey)
      // Delayed, since a client that is refused at once retries at once.
      if (isFull) return void setTimeout(() => reject(busy()), refusalDelayMs).unref()
      const refuse = () => {
        this.#remove(one)
        reject(busy())
        this.#advance()
      }
      const timer = setTimeout(refuse, timeoutMs).unref()
      const one: Waiting = {
        keys,
        begin: () => {
          clearTimeout(timer)
          resolve(() => this.#end(keys))
        },
      }
      this.#line.push(one)
      this.#countWaiting(keys, 1)
      this.#advance()
    })
  }

  #advance(): void {
    const taken = new Set(this.#held)
    for (const one of [...this.#line]) {
      if (this.#inside >= this.bounds.concurrent) return
      if (!one.keys.some((key) => taken.has(key))) {
        this.#remove(one)
        this.#inside += 1
        for (const key of one.keys) this.#held.add(key)
        one.begin()
      }
      for (const key of one.keys) taken.add(key)
    }
  }

  #end(keys: readonly string[]): void {
    this.#inside -= 1
    for (const key of keys) this.#held.delete(key)
    this.#advance()
  }

  #remove(one: Waiting): void {
    this.#line.splice(this.#line.indexOf(one), 1)
    this.#countWaiting(one.keys, -1)
  }

  #countWaiting(keys: readonly string[], by: number): void {
    for (const key of keys) this.#waitingFor.add(key, by)
  }
}

const turnsOf = new WeakMap<Store, SignInTurns>()
const turnsAt = (store: Store): SignInTurns => {
  const turns = turnsOf.get(store) ?? new SignInTurns(limits.otp.writeQueue)
  turnsOf.set(store, turns)
  return turns
}

/**
 * Runs a transaction that counts attempts of a client and, where one was sent, an address. It locks rows that the next transactions of the
 * same client or address need. These wait here, without a database connection or a slot, so that they delay no others.
 */
export async function writeInTurn<T>(
  { services: { store }, address, caller, whileWaiting }: Exchange,
  email: string | null,
  work: (tx: WriteTx) => Promise<T>,
): Promise<T> {
  const networks = boundedNetworks(address).map(({ network }) => `network ${network}`)
  const keys = email === null ? networks : [...networks, `email ${email}`]
  let end = () => {}
  try {
    await whileWaiting(async () => {
      end = await turnsAt(store).take(keys)
    })
    return await store.write(asSystem(caller?.user_id ?? null), work)
  } finally {
    end()
  }
}
