import { describe, expect, test } from 'vitest'
import { fillGradingModel, type GradingModelColumns, type GradingModelInput } from './gradingModel.ts'

const columns = (
  grading_model: GradingModelColumns['grading_model'],
  calculation_model: GradingModelColumns['calculation_model'],
  year_exam_weight: number | null = null,
  year_coursework_weight: number | null = null,
): GradingModelColumns => ({ grading_model, calculation_model, year_exam_weight, year_coursework_weight })

const both = { year_exam_weight: 60, year_coursework_weight: 40 }

describe('a new year', () => {
  test.each<{ said: GradingModelInput; filled: GradingModelColumns }>([
    { said: { grading_model: 'term_based' }, filled: columns('term_based', 'weighted_cumulative') },
    {
      said: { grading_model: 'term_based', calculation_model: 'weighted_cumulative' },
      filled: columns('term_based', 'weighted_cumulative'),
    },
    { said: { grading_model: 'term_based', ...both }, filled: columns('term_based', 'weighted_cumulative') },
    { said: { grading_model: 'year_based', ...both }, filled: columns('year_based', 'weighted_continuous', 60, 40) },
    {
      said: { grading_model: 'year_based', calculation_model: 'weighted_continuous', ...both },
      filled: columns('year_based', 'weighted_continuous', 60, 40),
    },
    {
      said: { grading_model: 'year_based', calculation_model: 'weighted_cumulative', ...both },
      filled: columns('year_based', 'weighted_cumulative', 60, 40),
    },
    {
      said: { grading_model: 'year_based', calculation_model: 'continuous_cumulative', ...both },
      filled: columns('year_based', 'continuous_cumulative', 60, 40),
    },
    {
      said: { grading_model: 'year_based', year_exam_weight: 60.5, year_coursework_weight: 39.5 },
      filled: columns('year_based', 'weighted_continuous', 60.5, 39.5),
    },
  ])('$said gives $filled', ({ said, filled }) => {
    expect(fillGradingModel(said)).toEqual({ columns: filled })
  })

  test.each<{ said: GradingModelInput; paths: string[] }>([
    { said: {}, paths: ['gradingModel'] },
    { said: { grading_model: 'term_based', calculation_model: 'weighted_continuous' }, paths: ['calculationModel'] },
    { said: { grading_model: 'term_based', calculation_model: 'continuous_cumulative' }, paths: ['calculationModel'] },
    { said: { grading_model: 'year_based' }, paths: ['yearExamWeight', 'yearCourseworkWeight'] },
    { said: { grading_model: 'year_based', year_exam_weight: 60 }, paths: ['yearCourseworkWeight'] },
    { said: { grading_model: 'year_based', year_coursework_weight: 40, year_exam_weight: null }, paths: ['yearExamWeight'] },
    { said: { grading_model: 'year_based', year_exam_weight: 60, year_coursework_weight: 41 }, paths: ['yearExamWeight'] },
  ])('$said is refused at $paths', ({ said, paths }) => {
    const result = fillGradingModel(said)
    expect('issues' in result && result.issues.map((issue) => issue.path)).toEqual(paths)
  })
})

describe('a changed year', () => {
  const yearBased = columns('year_based', 'continuous_cumulative', 60, 40)
  const termBased = columns('term_based', 'weighted_cumulative')

  test.each<{ stored: GradingModelColumns; said: GradingModelInput; filled: GradingModelColumns }>([
    { stored: yearBased, said: {}, filled: yearBased },
    {
      stored: yearBased,
      said: { year_exam_weight: 30, year_coursework_weight: 70 },
      filled: columns('year_based', 'continuous_cumulative', 30, 70),
    },
    { stored: yearBased, said: { calculation_model: 'weighted_cumulative' }, filled: columns('year_based', 'weighted_cumulative', 60, 40) },
    { stored: yearBased, said: { grading_model: 'term_based' }, filled: termBased },
    { stored: termBased, said: { grading_model: 'year_based', ...both }, filled: columns('year_based', 'weighted_continuous', 60, 40) },
    { stored: termBased, said: { year_exam_weight: 60 }, filled: termBased },
  ])('$stored with $said gives $filled', ({ stored, said, filled }) => {
    expect(fillGradingModel(said, stored)).toEqual({ columns: filled })
  })

  test.each<{ stored: GradingModelColumns; said: GradingModelInput; paths: string[] }>([
    { stored: yearBased, said: { year_exam_weight: 30 }, paths: ['yearExamWeight'] },
    { stored: yearBased, said: { year_exam_weight: null }, paths: ['yearExamWeight'] },
    { stored: yearBased, said: { grading_model: 'term_based', calculation_model: 'continuous_cumulative' }, paths: ['calculationModel'] },
    { stored: termBased, said: { calculation_model: 'continuous_cumulative' }, paths: ['calculationModel'] },
    { stored: termBased, said: { grading_model: 'year_based' }, paths: ['yearExamWeight', 'yearCourseworkWeight'] },
  ])('$stored with $said is refused at $paths', ({ stored, said, paths }) => {
    const result = fillGradingModel(said, stored)
    expect('issues' in result && result.issues.map((issue) => issue.path)).toEqual(paths)
  })
})
