import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Grade } from '@markbook/shared/contract/grades'
import { naturalId } from '@markbook/shared/ids'
import { after, until } from '../processes/network.ts'
import type { Chance } from '../world/chance.ts'
import type { Group, Ledger, Write } from './ledger.ts'
import type { Person } from './person.ts'

const MAX = 100
/** Of one person, so that the page of assessments stays one that somebody could have. */
const MOST_ASSESSMENTS = 12

/** Somebody who writes marks, remarks and assessments at one node, one after the other, whatever becomes of it. */
export class Writer {
  private count = 0
  private made = 0
  private going: Promise<void> | null = null
  private wanted = false
  /** The assessment in which they alone write. */
  own = ''

  constructor(
    readonly person: Person,
    readonly group: Group,
    readonly subject: string,
    /** Those in which others write too. */
    readonly shared: readonly string[],
    private readonly ledger: Ledger,
    private readonly chance: Chance,
  ) {}

  async begin(): Promise<void> {
    const title = this.name('alone')
    const { id } = await this.person.write<Assessment>('POST', '/api/assessments', this.assessment(title))
    this.own = id
  }

  resume(): void {
    this.wanted = true
    this.going ??= this.work()
  }
  /** Resolves when nothing of theirs is under way. */
  async pause(): Promise<void> {
    this.wanted = false
    await this.going
    this.going = null
  }

  private async work(): Promise<void> {
    while (this.wanted) {
      await this.deed()
      await after(60 + this.chance.below(200))
    }
  }

  private deed(): Promise<void> {
    const deed = this.chance.weighted({
      ownMarks: 10,
      sharedMark: this.shared.length > 0 ? 5 : 0,
      ownTitle: 2,
      sharedTitle: this.shared.length > 0 ? 1 : 0,
      assessment: 1,
    })
    if (deed === 'ownMarks') return this.marks(this.own, this.some(1 + this.chance.below(this.group.pupils.length)), true)
    if (deed === 'sharedMark') return this.marks(this.chance.pick(this.shared), this.some(1 + this.chance.below(2)), false)
    if (deed === 'ownTitle') return this.title(this.own, true)
    if (deed === 'sharedTitle') return this.title(this.chance.pick(this.shared), false)
    return this.made < MOST_ASSESSMENTS ? this.newAssessment() : this.title(this.own, true)
  }

  private some(count: number): string[] {
    const from = this.chance.below(this.group.pupils.length)
    return [...this.group.pupils.slice(from), ...this.group.pupils.slice(0, from)].slice(0, count)
  }
  private name(what: string): string {
    this.count += 1
    return `${what}, ${this.person.name} ${this.count}`
  }
  private assessment = (title: string) => ({
    termId: this.group.term,
    subjectId: this.subject,
    title,
    assessmentType: 'coursework',
    maxScore: MAX,
  })

  private async marks(assessmentId: string, pupils: readonly string[], own: boolean): Promise<void> {
    const [value, score] = [this.name('mark'), this.chance.below(MAX + 1)]
    const grades = pupils.map((studentId) => ({ studentId, score, remarks: value }))
    const rows = pupils.map((pupil) => naturalId('grade', assessmentId, pupil))
    const writes = rows.map((row) => this.sent({ kind: 'mark', row, value, score, own }))
    const answer = await this.send<Grade[]>(writes, 'POST', '/api/grades/bulk', { assessmentId, grades })
    if (answer?.some(({ remarks }) => remarks !== value)) this.ledger.wrong.push(`${value} was answered with another remark`)
  }

  private async title(row: string, own: boolean): Promise<void> {
    const title = this.name('title')
    await this.send([this.sent({ kind: 'title', row, value: title, score: null, own })], 'PATCH', `/api/assessments/${row}`, { title })
  }

  private async newAssessment(): Promise<void> {
    this.made += 1
    const title = this.name('paper')
    const write = this.sent({ kind: 'assessment', row: '', value: title, score: null, own: true })
    const made = await this.send<Assessment>([write], 'POST', '/api/assessments', this.assessment(title))
    if (made) write.row = made.id
  }

  private sent(write: Omit<Write, 'by' | 'state'>): Write {
    const made: Write = { ...write, by: this.person.name, state: 'sent' }
    this.ledger.writes.push(made)
    return made
  }

  /** Null where there was no answer, or one that says that the server is busy: it may be taken all the same. */
  private async send<T>(writes: readonly Write[], method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T | null> {
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

  /** What this node shows is what its people last wrote here. */
  async seesOwn(): Promise<void> {
    const seen = async () => {
      const grades = await this.person.see<Grade[]>(`/api/grades?assessmentId=${this.own}`)
      const shown = new Map(grades.map(({ id, remarks }) => [id, remarks]))
      return this.group.pupils.every((pupil) => {
        const row = naturalId('grade', this.own, pupil)
        const expected = this.ledger.expected('mark', row)
        return expected.length === 0 || expected[0]?.state === 'unknown' || expected.some(({ value }) => shown.get(row) === value)
      })
    }
    await until(() => seen().catch(() => false), `what ${this.person.name} wrote, coming back to ${this.person.seat.name},`, 90_000)
  }
}
