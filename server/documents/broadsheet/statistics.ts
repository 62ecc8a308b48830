import type { GroupFigures } from '@markbook/shared/contract/calculations'
import { exact, plus, printed, zero } from '@markbook/shared/domain/exact'
import { groupFigures } from '@markbook/shared/domain/summary'
import type { BroadsheetInput, BroadsheetPupil, BroadsheetSubject } from './broadsheet.input.ts'

/** Of one subject over the pupils who take it; of the class over all. Averages are percent, rates percent of those with a result. */
type SubjectStatistics = { subject: BroadsheetSubject; figures: GroupFigures }
type GenderStatistics = { gender: string; count: number; figures: GroupFigures }
export type Statistics = { whole: GroupFigures; subjects: SubjectStatistics[]; genders: GenderStatistics[] }

/** Decisions §5, `class-summary`, of the printed marks of the broadsheet. Genders that nobody has are left out. */
export function statisticsOf({ pupils, subjects, scale }: BroadsheetInput): Statistics {
  const overalls = (of: readonly BroadsheetPupil[]) => of.map((pupil) => pupil.overall_average)
  const marksIn = ({ id }: BroadsheetSubject) => pupils.map(({ marks }) => marks[id]).filter((mark) => mark !== undefined)
  return {
    whole: groupFigures(overalls(pupils), scale),
    subjects: subjects.map((subject) => ({
      subject,
      figures: groupFigures(
        marksIn(subject).map((mark) => mark?.figure ?? null),
        scale,
      ),
    })),
    genders: ['female', 'male', 'other'].flatMap((gender) => {
      const own = pupils.filter((pupil) => pupil.gender === gender)
      return own.length === 0 ? [] : [{ gender, count: own.length, figures: groupFigures(overalls(own), scale) }]
    }),
  }
}

/** The sum of a pupil's marks; null of none. */
export function totalOf({ marks }: BroadsheetPupil, subjects: readonly BroadsheetSubject[]): number | null {
  const figures = subjects.flatMap(({ id }) => marks[id]?.figure ?? [])
  return figures.length === 0 ? null : printed(figures.reduce((sum, figure) => plus(sum, exact(figure)), zero))
}
