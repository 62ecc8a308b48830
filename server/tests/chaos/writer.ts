import type { Assessment } from '@markbook/shared/contract/assessments'
import type { Chance } from '../world/chance.ts'
import { Author } from './author.ts'
import type { Group, Ledger } from './ledger.ts'
import type { Person } from './person.ts'

const MAX = 100
/** Of one person, so that the page of assessments stays one that somebody could have. */
const MOST_ASSESSMENTS = 12

/** Where somebody writes. */
export type WritingScope = { group: Group; term: string; subject: string; pupils: readonly string[] }

/** Somebody who writes marks, remarks and assessments by chance. */
export class Writer extends Author {
  private made = 0
  /** The assessment in which they alone write. */
  own = ''

  constructor(
    person: Person,
    private readonly place: WritingScope,
    /** Assessments in which others write too. */
    private readonly shared: readonly string[],
    ledger: Ledger,
    private readonly chance: Chance,
  ) {
    super(person, place.group, ledger)
  }

  async begin(): Promise<void> {
    const title = this.name('alone')
    const { id } = await this.person.write<Assessment>('POST', '/api/assessments', this.assessment(title))
    this.own = id
  }

  protected restMs = () => 60 + this.chance.below(200)

  protected action(): Promise<void> {
    const action = this.chance.weighted({
      ownMarks: 10,
      sharedMark: this.shared.length > 0 ? 5 : 0,
      ownTitle: 2,
      sharedTitle: this.shared.length > 0 ? 1 : 0,
      assessment: 1,
    })
    if (action === 'ownMarks') return this.mark(this.own, 1 + this.chance.below(this.place.pupils.length), true)
    if (action === 'sharedMark') return this.mark(this.chance.pick(this.shared), 1 + this.chance.below(2), false)
    if (action === 'ownTitle') return this.title(this.own, true)
    if (action === 'sharedTitle') return this.title(this.chance.pick(this.shared), false)
    return this.made < MOST_ASSESSMENTS ? this.newAssessment() : this.title(this.own, true)
  }

  private mark(assessmentId: string, count: number, own: boolean): Promise<void> {
    const { pupils } = this.place
    const from = this.chance.below(pupils.length)
    const score = this.chance.below(MAX + 1)
    const some = [...pupils.slice(from), ...pupils.slice(0, from)].slice(0, count)
    return this.marks(
      assessmentId,
      some.map((studentId) => ({ studentId, score })),
      own,
    )
  }

  private assessment = (title: string) => ({
    termId: this.place.term,
    subjectId: this.place.subject,
    title,
    assessmentType: 'coursework',
    maxScore: MAX,
  })

  private async title(row: string, own: boolean): Promise<void> {
    const title = this.name('title')
    await this.send(
      [this.sent({ kind: 'title', row, assessment: null, value: title, score: null, own })],
      'PATCH',
      `/api/assessments/${row}`,
      { title },
    )
  }

  private async newAssessment(): Promise<void> {
    this.made += 1
    const title = this.name('paper')
    const write = this.sent({ kind: 'assessment', row: '', assessment: null, value: title, score: null, own: true })
    const made = await this.send<Assessment>([write], 'POST', '/api/assessments', this.assessment(title))
    if (made) write.row = made.id
  }
}
