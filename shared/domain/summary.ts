import type { ClassSummary, ClassTerm, GroupFigures } from '../contract/calculations.ts'
import { meanOf, printed, ratio } from './exact.ts'
import { type GradingScale, isPass, letterFor } from './letters.ts'
import { meanOfPrinted, type OfGroup, subjectName } from './results.ts'
import { inSubjectOrder, type Subject } from './subjects-taken.ts'

/**
 * Figures of printed averages; null entries are students without one. Every letter of the scale is listed, with 0 where nobody has it.
 * Averages and rates have 2 decimals; without ranked students the counts are 0, averages and rates null.
 */
export function groupFigures(averages: readonly (number | null)[], scale: GradingScale): GroupFigures {
  const ranked = averages.filter((average) => average !== null).sort((a, b) => a - b)
  const passed = ranked.filter((average) => isPass(scale, average)).length
  const letters = ranked.map((average) => letterFor(scale, average)?.letter)
  return {
    total_students: averages.length,
    ranked_students: ranked.length,
    class_average: meanOfPrinted(ranked),
    median: medianOf(ranked),
    highest: ranked.at(-1) ?? null,
    lowest: ranked[0] ?? null,
    pass_count: passed,
    fail_count: ranked.length - passed,
    pass_rate: rate(passed, ranked.length),
    distribution: scale.bands.map(({ letter }) => ({
      letter,
      count: letters.filter((own) => own === letter).length,
    })),
  }
}

export type SummaryInput<G extends string | null = string | null> = {
  result: OfGroup<ClassTerm, G>
  scale: GradingScale
  subjects: readonly Subject[]
  students: readonly { id: string; gender: string }[]
}

/**
 * The summary of a class in a term (decisions §5, `class-summary`), computed from the printed results. A subject's figures are those of
 * its term composites over the students who take it. Subjects and genders without students are omitted. `subjects` and `students` as for
 * the result, in any order.
 */
export function classSummary<G extends string | null>(input: SummaryInput<G>): OfGroup<ClassSummary, G> {
  const { result, scale } = input
  return {
    term_id: result.term_id,
    student_group_id: result.student_group_id,
    ...groupFigures(
      result.students.map((student) => student.overall_average),
      scale,
    ),
    subjects: subjectFigures(input),
    by_gender: genderFigures(input),
  }
}

const rate = (count: number, of: number): number | null => (of === 0 ? null : printed(ratio(count * 100, of)))

/** `rising` is sorted ascending; for an even number of averages the mean of the middle two, rounded like every average. */
function medianOf(rising: readonly number[]): number | null {
  const middle = rising.slice(Math.ceil(rising.length / 2) - 1, Math.floor(rising.length / 2) + 1)
  return printed(meanOf(middle))
}

function subjectFigures({ result, scale, subjects }: SummaryInput): ClassSummary['subjects'] {
  const compositesBySubjectId = new Map<string, (number | null)[]>()
  for (const { subject_id, term_composite } of result.students.flatMap((student) => student.subjects)) {
    const composites = compositesBySubjectId.get(subject_id)
    if (composites) composites.push(term_composite)
    else compositesBySubjectId.set(subject_id, [term_composite])
  }
  return inSubjectOrder(subjects).flatMap((subject) => {
    const composites = compositesBySubjectId.get(subject.id)
    return composites ? [{ ...subjectName(subject), ...groupFigures(composites, scale) }] : []
  })
}

function genderFigures({ result, scale, students }: SummaryInput): ClassSummary['by_gender'] {
  const genderByStudentId = new Map(students.map(({ id, gender }) => [id, gender]))
  return (['male', 'female', 'other'] as const).flatMap((gender) => {
    const own = result.students.filter((student) => genderByStudentId.get(student.student_id) === gender)
    if (own.length === 0) return []
    const overalls = own.map((student) => student.overall_average)
    const { class_average, pass_rate } = groupFigures(overalls, scale)
    return [{ gender, count: own.length, class_average, pass_rate }]
  })
}

/** With fewer pupils, a mean reveals the results of single pupils. */
const FEWEST_OF_GENDER = 5

/**
 * Whether figures by gender may be shown: each gender that occurs has at least five pupils. Where one has fewer, none are shown, since its
 * figures would follow from those of the others and of the whole class.
 */
export const mayShowByGender = (counts: readonly number[]): boolean => counts.every((count) => count === 0 || count >= FEWEST_OF_GENDER)
