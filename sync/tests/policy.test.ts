import { descriptions, type Replicated } from '@markbook/shared/tables/tables'
import { expect, test } from 'vitest'
import { furthestOf, highsOf, policy, ruleOf } from '../merge/policy.ts'

const tables = Object.keys(descriptions) as Replicated[]
const rules = Object.entries(policy).flatMap(([table, units]) => Object.entries(units).map(([unit, rule]) => ({ table, unit, rule })))

test('names only tables and units that exist', () => {
  expect(rules.filter(({ table, unit }) => !Object.keys(descriptions[table as Replicated]?.units ?? {}).includes(unit))).toEqual([])
  for (const table of tables)
    for (const unit of Object.keys(highsOf(table, {}))) expect(Object.keys(descriptions[table].units)).toContain(unit)
})

test('steps are read from a column of their own unit', () => {
  const stepped = rules.flatMap(({ table, unit, rule }) => (typeof rule === 'object' ? [{ table: table as Replicated, unit, rule }] : []))
  expect(stepped.map(({ table, unit }) => `${table}.${unit}`).toSorted()).toEqual(
    tables.flatMap((table) => furthestOf(table).map((unit) => `${table}.${unit}`)).toSorted(),
  )
  for (const { table, unit, rule } of stepped) expect(descriptions[table].units[unit]).toContain(rule.of)
})

test('a unit counts its steps or remembers its highest, never both: they share a place in the stamp', () => {
  for (const table of tables) expect(furthestOf(table).filter((unit) => unit in highsOf(table, {}))).toEqual([])
})

test('a secret is never copied into a conflict', () => {
  for (const table of tables) {
    const { sealed = [], units } = descriptions[table]
    const holding = Object.entries(units).filter(([, columns]) => columns.some((column) => sealed.includes(column)))
    expect(holding.map(([unit]) => ruleOf(table, unit))).toEqual(holding.map(() => 'quiet'))
  }
})

test('what belongs to no school has no place for a conflict, so its units are quiet', () => {
  for (const table of tables.filter((each) => descriptions[each].scope === 'commons'))
    expect(Object.keys(descriptions[table].units).filter((unit) => ruleOf(table, unit) !== 'quiet')).toEqual([])
})

test('what is not named is for a person to decide', () => {
  expect(ruleOf('grade', 'score')).toBe('later')
})
