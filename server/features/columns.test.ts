import { expect, test } from 'vitest'
import { columnsOf } from './columns.ts'

test('fields become columns: null stays, absent and undefined ones give none', () => {
  const body: { maxScore: number; title: string | null; studentGroupId?: string | undefined; sortOrder?: number } = {
    maxScore: 40,
    title: null,
    studentGroupId: undefined,
  }
  expect(Object.entries(columnsOf(body))).toEqual([
    ['max_score', 40],
    ['title', null],
  ])
})
