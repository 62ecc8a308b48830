import { MAXIMUM } from '../../../cli/seed/real/seed-real.ts'
import type { Chance } from '../../world/chance.ts'
import { Author } from '../author.ts'
import type { Group, Ledger } from '../ledger.ts'
import type { Person } from '../person.ts'

/** A test or an exam that a whole school writes in one subject. `final`: the mark of the term. */
export type SchoolAssessment = { id: string; term: number; subject: string; final: boolean }
/** `marks`: the real ones, of the three terms, from 0 to `MAXIMUM`. */
export type Pupil = { id: string; marks: readonly [number, number, number] }

/** Of one subject in some classes. `alone`: whose marks nobody else writes; `shared`: in which others write too. */
export type Sheet = {
  group: Group
  subject: string
  alone: readonly Pupil[]
  shared: readonly Pupil[]
  assessments: readonly SchoolAssessment[]
}

/** Somebody who marks what was written this week, and now and then corrects an earlier mark. `pace`: ms between two of their deeds. */
export class Teacher extends Author {
  private readonly known = new Set<string>()

  constructor(
    person: Person,
    public sheet: Sheet,
    ledger: Ledger,
    private readonly chance: Chance,
    private readonly pace: number,
  ) {
    super(person, sheet.group, ledger)
  }

  protected restMs = () => this.pace * this.chance.next()

  protected async action(): Promise<void> {
    const { assessments, subject, alone, shared } = this.sheet
    const own = assessments.filter((assessment) => assessment.subject === subject)
    const assessment = this.chance.often(0.85) ? own.at(-1) : this.chance.pick(own.slice(-6))
    if (!assessment || !(await this.hasHeardOf(assessment))) return
    const isAlone = alone.length > 0 && !(shared.length > 0 && this.chance.often(0.15))
    const from = isAlone ? alone : shared
    const first = this.chance.below(from.length)
    const some = from.slice(first, first + 1 + this.chance.below(isAlone ? 8 : 1))
    await this.marks(
      assessment.id,
      some.map((pupil) => ({ studentId: pupil.id, score: this.scoreOf(pupil, assessment) })),
      isAlone,
    )
  }

  /** A computer that was away may not have the assessment yet. */
  private async hasHeardOf({ id }: SchoolAssessment): Promise<boolean> {
    if (this.known.has(id)) return true
    const answer = await this.person.ask('GET', `/api/assessments/${id}`).catch(() => null)
    if (answer?.status !== 200) return false
    this.known.add(id)
    return true
  }

  /** The real mark at the end of a term, about as good before. */
  private scoreOf({ marks }: Pupil, { term, final }: SchoolAssessment): number {
    const real = marks[term] ?? 0
    return final ? real : Math.min(MAXIMUM, Math.max(0, real + this.chance.below(5) - 2))
  }
}
