import type { GroupFigures } from '@markbook/shared/contract/calculations'
import { exact, plus, printed, zero } from '@markbook/shared/domain/exact'
import { groupFigures, mayShowByGender } from '@markbook/shared/domain/summary'
import type { BroadsheetInput, BroadsheetPupil, BroadsheetSubject } from './broadsheet.input.ts'

/**
 * Figures of one subject over the pupils who take it; of the class over all. Averages are percent, rates percent of the pupils with a
 * result.
 */
type SubjectStatistics = { subject: BroadsheetSubject; figures: GroupFigures }
type GenderStatistics = { gender: string; count: number; figures: GroupFigures }
export type Statistics = { whole: GroupFigures; subjects: SubjectStatistics[]; genders: GenderStatistics[] }

/**
 * Decisions §5, `class-summary`, from the printed marks of the broadsheet. Genders without pupils are omitted, and all of them where one
 * has too few.
 */
export function statisticsOf({ pupils, subjects, scale }: BroadsheetInput): Statistics {
  const ofPupils = (own: readonly BroadsheetPupil[]) => {
    const overalls = own.map((pupil) => pupil.overall_average)
    return groupFigures(overalls, scale)
  }
  const ofSubject = ({ id }: BroadsheetSubject) => {
    const marks = pupils.flatMap((pupil) => (pupil.marks[id] === undefined ? [] : [pupil.marks[id]?.figure ?? null]))
    return groupFigures(marks, scale)
  }
  const genders = ['female', 'male', 'other'].flatMap((gender) => {
    const own = pupils.filter((pupil) => pupil.gender === gender)
    return own.length === 0 ? [] : [{ gender, count: own.length, figures: ofPupils(own) }]
  })
  return {
    whole: ofPupils(pupils),
    subjects: subjects.map((subject) => ({ subject, figures: ofSubject(subject) })),
    genders: mayShowByGender(genders.map(({ count }) => count)) ? genders : [],
  }
}

/** The sum of a pupil's marks; null without any. */
export function totalOf({ marks }: Pick<BroadsheetPupil, 'marks'>, subjects: readonly BroadsheetSubject[]): number | null {
  const figures = subjects.flatMap(({ id }) => marks[id]?.figure ?? [])
  return figures.length === 0 ? null : printed(figures.reduce((sum, figure) => plus(sum, exact(figure)), zero))
}
