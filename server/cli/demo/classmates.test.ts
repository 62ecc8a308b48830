import { elan, irishOral, lukasz, mathsExam, scienceProject } from '@markbook/shared/story/marks'
import { story } from '@markbook/shared/story/story'
import { describe, expect, it } from 'vitest'
import { classmates } from './classmates.ts'

const duplicates = (keys: readonly string[]) => keys.filter((key, at) => keys.indexOf(key) !== at)

describe('the classmates of the demonstration', () => {
  it('have no name, number or id that the story uses', () => {
    for (const [table, rows] of Object.entries(classmates)) {
      const inStory = ((story as Partial<Record<string, readonly { id: string }[]>>)[table] ?? []).map(({ id }) => id)
      expect(duplicates([...inStory, ...rows.map(({ id }) => id)]), table).toEqual([])
    }
    const numbers = [...story.student, ...classmates.student].map(({ student_number }) => student_number)
    expect(duplicates(numbers)).toEqual([])
  })

  it('have marks within the maximum', () => {
    const maxima = new Map([...story.assessment, ...classmates.assessment].map(({ id, max_score }) => [id, max_score]))
    expect(classmates.grade.filter(({ assessment_id, score }) => score < 0 || score > (maxima.get(assessment_id) ?? -1))).toEqual([])
    expect(new Set(classmates.grade.map(({ score }) => score)).size).toBeGreaterThan(40)
  })

  it('have marks in nearly all assessments but the summer exam in mathematics', () => {
    const empty = [...story.assessment, ...classmates.assessment].find(({ title, max_score, id }) => {
      const graded = classmates.grade.some(({ assessment_id }) => assessment_id === id)
      return title === 'Summer exam' && max_score === 100 && !graded
    })
    expect(empty).toBeDefined()
    const assessments = new Set(classmates.grade.map(({ assessment_id }) => assessment_id)).size
    expect(classmates.grade.length).toBeGreaterThan(classmates.student.length * assessments * 0.95)
  })

  it('leave empty the marks that the story needs empty', () => {
    const has = (pupil: { id: string }, assessment: { id: string }) =>
      classmates.grade.some(({ student_id, assessment_id }) => student_id === pupil.id && assessment_id === assessment.id)
    expect([has(elan, mathsExam), has(lukasz, irishOral)]).toEqual([false, false])
    expect(has(elan, scienceProject)).toBe(true)
  })
})
