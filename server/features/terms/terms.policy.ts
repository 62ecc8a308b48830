import { type NewTerm, termFailures } from '@markbook/shared/contract/terms'
import { orderOfNewTerm } from '@markbook/shared/domain/term-names'
import { naturalId } from '@markbook/shared/ids'
import type { Row } from '@markbook/shared/tables/tables'
import { isUniqueViolation } from '../../store/errors.ts'
import { rowsBy } from '../../store/statement.ts'
import type { WriteTx } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { failureFor } from '../references.ts'

type Year = Row<'academic_year'>

/** The terms of a year by `sort_order`, ties by name. */
export const termsOfYear = rowsBy('term', { school: 'school_id', year: 'academic_year_id' }, { orderBy: ['sort_order', 'name'] })

export const orDuplicate = failureFor(isUniqueViolation, termFailures.duplicateName)

/** A term's id is computed from its year and name; where a renamed term has that id, the new one gets a new UUIDv7 (decisions §1). */
async function idFor(tx: WriteTx, year: Year, name: string): Promise<string> {
  const id = naturalId('term', year.id, name)
  return (await tx.find('term', year.school_id, id)) ? tx.newId() : id
}

type Others = readonly Pick<Row<'term'>, 'sort_order'>[]

/** Creates a term of a year, which is locked and has these `others`. The caller has checked that it fits. */
export async function makeTerm(tx: WriteTx, year: Year, wanted: NewTerm, others: Others): Promise<Row<'term'>> {
  const { sortOrder = orderOfNewTerm(wanted.name, others), isMinistryReporting = false, ...rest } = wanted
  const row = { school_id: year.school_id, academic_year_id: year.id, ...columnsOf({ ...rest, sortOrder, isMinistryReporting }) }
  return tx.insert('term', { id: await idFor(tx, year, wanted.name), ...row }).catch(orDuplicate)
}

/** Creates several, one after the other. */
export async function makeTerms(tx: WriteTx, year: Year, wanted: readonly NewTerm[], others: Others): Promise<void> {
  const all = [...others]
  for (const one of wanted) all.push(await makeTerm(tx, year, one, all))
}
