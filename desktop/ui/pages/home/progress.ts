import type { ClassProgress } from '@markbook/shared/contract/classes'

export type Counted = Pick<ClassProgress, 'expected' | 'recorded'> & Partial<Pick<ClassProgress, 'is_sent'>>
/** How many marks are to be entered: none any more once all report books of the class are sent. */
export const missingOf = ({ expected, recorded, is_sent = false }: Counted): number => (is_sent ? 0 : Math.max(0, expected - recorded))

/** `rows`: the subjects of the class; `unassessed`: those without a counting assessment in the term, while its books are not all sent. */
export type ClassTotal = Pick<ClassProgress, 'class' | 'is_sent'> & {
  rows: ClassProgress[]
  expected: number
  recorded: number
  missing: number
  unassessed: ClassProgress['subject'][]
}

/** The sums over the subjects of each class, in the order of the classes. */
export function byClass(rows: readonly ClassProgress[]): ClassTotal[] {
  const totals = new Map<string, ClassTotal>()
  for (const row of rows) {
    const total = totals.get(row.class.id) ?? {
      class: row.class,
      is_sent: row.is_sent,
      rows: [],
      expected: 0,
      recorded: 0,
      missing: 0,
      unassessed: [],
    }
    totals.set(row.class.id, {
      ...total,
      rows: [...total.rows, row],
      expected: total.expected + row.expected,
      recorded: total.recorded + row.recorded,
      missing: total.missing + missingOf(row),
      unassessed: row.assessments === 0 && !row.is_sent ? [...total.unassessed, row.subject] : total.unassessed,
    })
  }
  return [...totals.values()]
}

/** The subjects of a class without a counting assessment in the term: no pupil gets a result in them. */
export const unassessedIn = (rows: readonly ClassProgress[], classId: string): ClassProgress[] =>
  rows.filter((row) => row.class.id === classId && row.assessments === 0)

/** The subjects whose marks a teacher enters: those that they teach; for a class teacher who teaches none, those of the class. */
export function rowsOfTeacher(rows: readonly ClassProgress[]): readonly ClassProgress[] {
  const own = rows.filter(({ is_own }) => is_own)
  return own.length > 0 ? own : rows.filter(({ is_class_teacher }) => is_class_teacher)
}

/** The percentage of marks that are entered, 100 only if every one is; null if none are expected. */
export const shareOf = ({ expected, recorded, rows }: Pick<ClassTotal, 'expected' | 'recorded' | 'rows'>): number | null =>
  expected === 0 ? null : rows.every((row) => row.recorded >= row.expected) ? 100 : Math.min(99, Math.floor((100 * recorded) / expected))
