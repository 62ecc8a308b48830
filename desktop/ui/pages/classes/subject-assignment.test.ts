import { describe, expect, test } from 'vitest'
import { assignmentOf, subjectsByStudentId } from './subject-assignment.ts'

const [maths, english, music] = ['Maths', 'English', 'Music'].map((name) => ({ id: name.toLowerCase(), name })) as [
  { id: string; name: string },
  { id: string; name: string },
  { id: string; name: string },
]

describe('what each pupil takes', () => {
  test('stands in the order of the school’s subjects, whatever the order in which they were given', () => {
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

  test('nobody to whom nothing was given is listed: they take every subject', () => {
    expect(subjectsByStudentId([], [maths]).size).toBe(0)
  })
})

describe('whom giving subjects to several concerns', () => {
  const taken = new Map([['zoe', [maths]]])

  test('who takes every subject of the class loses none by it', () => {
    expect(assignmentOf(new Set(['zoe', 'mei']), taken, false)).toEqual({ everything: ['mei'], assigned: ['zoe'] })
    expect(assignmentOf(new Set(['mei']), taken, false).assigned).toEqual([])
  })

  test('unless they are to take only these, and then they are named', () => {
    expect(assignmentOf(new Set(['zoe', 'mei']), taken, true)).toEqual({ everything: ['mei'], assigned: ['zoe', 'mei'] })
  })
})
