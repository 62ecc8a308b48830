import assert from 'node:assert/strict'
import type { SyncStatus } from '@markbook/shared/contract/replication.rows'
import { type PersonName, people } from '@markbook/shared/story/people'
import { type Answer, ask } from '../durability/teacher.ts'
import { signInAs } from '../processes/at-nodes.ts'
import { type Node, until } from '../processes/network.ts'

/** Where somebody sits: at which address they ask, and at which console they get their codes. */
export type Seat = { name: string; console: Node; port: () => number | undefined; ca?: string }

export type Account = { name: string; email: string }
export const accountOf = (name: PersonName): Account => ({ name, email: people[name].email })
export const personOf = (name: PersonName, seat: Seat) => new Person(accountOf(name), seat)

/** Somebody in front of one node, who signs in with a code of its console and asks through `/api`. */
export class Person {
  private readonly cookies = new Map<string, string>()

  constructor(
    readonly who: Account,
    readonly seat: Seat,
  ) {}

  get name(): string {
    return `${this.who.name} at ${this.seat.name}`
  }

  /** Rejects where nobody answers; signs in where the session has ended. */
  async ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<Answer> {
    if (this.cookies.size === 0) await this.begin()
    const answer = await this.askOnce(method, path, body)
    if (answer.status !== 401) return answer
    this.cookies.clear()
    await this.begin()
    return this.askOnce(method, path, body)
  }

  /** What a list, or another reading, answers as text; rejects where it is refused. */
  async read(path: string): Promise<string> {
    const { status, text } = await this.ask('GET', path)
    assert.equal(status, 200, `${this.name} reads ${path}: ${status} ${text}`)
    return text
  }
  async see<T>(path: string): Promise<T> {
    return JSON.parse(await this.read(path))
  }
  status = () => this.see<SyncStatus>('/api/sync/status')

  /** What must be taken, and what it answers. */
  async write<T>(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T> {
    const { status, text } = await this.ask(method, path, body)
    assert(status === 200 || status === 201, `${this.name}: ${path} was answered ${status} ${text}`)
    return JSON.parse(text)
  }

  /** The school has come to this node. */
  async copied(): Promise<void> {
    const isHere = async () => {
      const { state, copy } = await this.status()
      return (state === 'up_to_date' || state === 'alone') && copy === null
    }
    await until(() => isHere().catch(() => false), `the first copy of ${this.seat.name}`)
  }

  private async begin(): Promise<void> {
    this.take(await signInAs(this.seat.console, this.who.email, this.seat))
  }

  private async askOnce(method: 'GET' | 'POST' | 'PATCH', path: string, body: unknown): Promise<Answer> {
    const port = this.seat.port()
    if (port === undefined) throw new Error(`${this.seat.name} is not running`)
    const cookie = [...this.cookies].map((each) => each.join('=')).join('; ')
    const { ca } = this.seat
    const answer = await ask({ port, method, path, cookie, body, timeoutMs: 20_000, ...(ca !== undefined && { ca }) })
    this.take(answer.cookies)
    return answer
  }

  /** As a browser keeps them; an empty one is taken away. */
  private take(cookies: string): void {
    for (const cookie of cookies.split('; ').filter(Boolean)) {
      const [name = '', value = ''] = [cookie.slice(0, cookie.indexOf('=')), cookie.slice(cookie.indexOf('=') + 1)]
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}
