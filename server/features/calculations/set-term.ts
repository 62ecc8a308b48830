import type { ClassTerm, calculations, SetTerm } from '@markbook/shared/contract/calculations'
import { byFoldedName } from '@markbook/shared/domain/fold'
import type { Row } from '@markbook/shared/tables/tables'
import type { Handler } from '../../http/handler.ts'
import { rowsOfClasses, studentsInOrder } from '../teaching-sets/teaching-sets.policy.ts'
import { setAndTerm } from './calculations.policy.ts'
import { questionOf } from './kept-results.policy.ts'
import { reviewedClassTerm } from './reviewed-results.ts'

type PendingAnswer = { answer: SetTerm; classes: { id: string; result: () => Promise<ClassTerm> }[] }

/**
 * The results of a set's subject, taken from the results of its students' classes: a set has no calculation of its own. One cached
 * question for each class.
 */
export const setTerm: Handler<typeof calculations.setTerm, { set: Row<'teaching_set'>; term: Row<'term'> }, unknown, PendingAnswer> = {
  kind: 'transaction',
  as: 'user',
  load: (context, { targets }) => setAndTerm(context, targets),
  run: async (context, _input, { set, term }) => {
    const students = await studentsInOrder(context.tx, set)
    const ids = [...new Set(students.flatMap((student) => student.class?.id ?? []))]
    const classes: PendingAnswer['classes'] = []
    for (const group of (await rowsOfClasses(context.tx, { school: set.school_id, ids: JSON.stringify(ids) })).sort(byFoldedName)) {
      const whole = (result: ClassTerm) => result
      const result = await questionOf(context, 'class-term', [group.id, term.id], (tx) => reviewedClassTerm(tx, group, term), whole)
      classes.push({ id: group.id, result: result as () => Promise<ClassTerm> })
    }
    const rows = students.map(({ class: of, ...student }) => ({ student_id: student.id, student, class: of, result: null }))
    return { answer: { term_id: term.id, teaching_set_id: set.id, subject_id: set.subject_id, students: rows }, classes }
  },
  finish: async ({ answer, classes }) => {
    const resultOf = new Map<string, SetTerm['students'][number]['result']>()
    for (const { result } of classes)
      for (const { student_id, subjects } of (await result()).students)
        resultOf.set(student_id, subjects.find(({ subject_id }) => subject_id === answer.subject_id) ?? null)
    return { ...answer, students: answer.students.map((row) => ({ ...row, result: resultOf.get(row.student_id) ?? null })) }
  },
}
