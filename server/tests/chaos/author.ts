import type { Grade } from '@markbook/shared/contract/grades'
import { naturalId } from '@markbook/shared/ids'
import { until } from '../processes/network.ts'
import type { Group, Ledger, Write } from './ledger.ts'
import type { Person } from './person.ts'

/** Somebody who writes at one node, one action after the other, whatever becomes of it; what they sent stands in the ledger. */
export abstract class Author {
  private count = 0
  private going: Promise<void> | null = null
  private wanted = false
  private endRest = () => {}
  /** By assessment, the rows in which they alone write. */
  private readonly ownRows = new Map<string, Set<string>>()

  constructor(
    readonly person: Person,
    private readonly group: Group,
    protected readonly ledger: Ledger,
  ) {}

  /** Something that they write; resolves once it was answered. */
  protected abstract action(): Promise<void>
  /** Before the next action, ms. */
  protected abstract restMs(): number

  resume(): void {
    this.wanted = true
    this.going ??= this.work()
  }
  /** Resolves when nothing of theirs is under way. */
  async pause(): Promise<void> {
    this.wanted = false
    this.endRest()
    await this.going
    this.going = null
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.restMs())
        this.endRest = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      if (this.wanted) await this.action()
    }
  }

  /** No two have the same. */
  protected name(what: string): string {
    this.count += 1
    return `${what}, ${this.person.name} ${this.count}`
  }

  /** `own`: nobody else ever writes these rows. */
  protected async marks(assessmentId: string, scores: readonly { studentId: string; score: number }[], own: boolean): Promise<void> {
    const value = this.name('mark')
    const writes = scores.map(({ studentId, score }) =>
      this.sent({ kind: 'mark', row: naturalId('grade', assessmentId, studentId), assessment: assessmentId, value, score, own }),
    )
    if (own) this.ownRows.set(assessmentId, new Set([...(this.ownRows.get(assessmentId) ?? []), ...writes.map(({ row }) => row)]))
    const grades = scores.map((each) => ({ ...each, remarks: value }))
    const answer = await this.send<Grade[]>(writes, 'POST', '/api/grades/bulk', { assessmentId, grades })
    if (answer?.some(({ remarks }) => remarks !== value)) this.ledger.wrong.push(`${value} was answered with another remark`)
  }

  protected sent(write: Omit<Write, 'by' | 'group' | 'state' | 'at'>): Write {
    const made: Write = { ...write, by: this.person.name, group: this.group, state: 'sent', at: 0 }
    this.ledger.add(made)
    return made
  }

  /** Null where there was no answer, or one that says that the server is busy: it may be taken all the same. */
  protected async send<T>(writes: readonly Write[], method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T | null> {
    const answer = await this.person.ask(method, path, body).catch(() => null)
    if (answer && (answer.status === 200 || answer.status === 201)) {
      for (const write of writes) this.ledger.acknowledge(write)
      return JSON.parse(answer.text)
    }
    for (const write of writes) write.state = 'unknown'
    if (answer && answer.status !== 503)
      this.ledger.wrong.push(`${this.person.name}: ${method} ${path} was answered ${answer.status} ${answer.text}`)
    return null
  }

  /** Resolves once their node shows what they last wrote there. */
  async seesOwn(): Promise<void> {
    const isSeen = async () => {
      for (const [assessmentId, rows] of this.ownRows) {
        const grades = await this.person.see<Grade[]>(`/api/grades?assessmentId=${assessmentId}`)
        const shown = new Map(grades.map(({ id, remarks }) => [id, remarks]))
        for (const row of rows) {
          const expected = this.ledger.expected('mark', row)
          if (expected[0]?.state === 'acknowledged' && expected.every(({ value }) => shown.get(row) !== value)) return false
        }
      }
      return true
    }
    await until(() => isSeen().catch(() => false), `what ${this.person.name} wrote, coming back to ${this.person.seat.name},`, 90_000)
  }
}
