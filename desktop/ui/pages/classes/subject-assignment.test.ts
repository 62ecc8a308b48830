import { describe, expect, test } from 'vitest'
import { assignmentOf, subjectsByStudentId } from './subject-assignment.ts'

const [maths, english, music] = ['Maths', 'English', 'Music'].map((name) => ({ id: name.toLowerCase(), name })) as [
  { id: string; name: string },
  { id: string; name: string },
  { id: string; name: string },
]

describe('subjectsByStudentId', () => {
  test('lists subjects in the order of the school, whatever the order of the assignments', () => {
    const taken = subjectsByStudentId(
      [
        { student_id: 'zoe', subject_id: 'music' },
        { student_id: 'mei', subject_id: 'english' },
        { student_id: 'zoe', subject_id: 'maths' },
      ],
      [maths, english, music],
    )
    expect(taken.get('zoe')).toEqual([maths, music])
    expect(taken.get('mei')).toEqual([english])
  })

  test('leaves out pupils without an assignment, who take every subject', () => {
    expect(subjectsByStudentId([], [maths]).size).toBe(0)
  })
})

describe('assignmentOf', () => {
  const taken = new Map([['zoe', [maths]]])

  test('leaves out pupils who take every subject, since they would lose the others', () => {
    expect(assignmentOf(new Set(['zoe', 'mei']), taken, false)).toEqual({ everything: ['mei'], assigned: ['zoe'] })
    expect(assignmentOf(new Set(['mei']), taken, false).assigned).toEqual([])
  })

  test('includes them where only these subjects are wanted, and names them', () => {
    expect(assignmentOf(new Set(['zoe', 'mei']), taken, true)).toEqual({ everything: ['mei'], assigned: ['zoe', 'mei'] })
  })
})
