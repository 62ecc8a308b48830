import { termFailures, termIssues, terms } from '@markbook/shared/contract/terms'
import { isSameTermName } from '@markbook/shared/domain/term-names'
import { common } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import type { Row } from '@markbook/shared/tables/tables'
import { type Handlers, on, onGuard, onLoaded } from '../../http/handler.ts'
import type { WriteTx } from '../../store/tx.ts'
import { columnsOf } from '../columns.ts'
import { rowOf } from '../policy.ts'
import { anyFound, inOrder } from '../references.ts'
import { makeTerm, orDuplicate, termsOfYear } from './terms.policy.ts'
import { termsById, usesOfTerm } from './terms.queries.ts'

type Term = Row<'term'>

/** The rules on a whole term: its days, its weights, and that it lies within its year. */
function check(term: Pick<Term, 'start_date' | 'end_date' | 'exam_weight' | 'coursework_weight'>, year: Row<'academic_year'>) {
  const issues = termIssues({
    startDate: term.start_date,
    endDate: term.end_date,
    examWeight: term.exam_weight,
    courseworkWeight: term.coursework_weight,
  })
  if (issues.length > 0) throw common.validationFailed({ issues })
  if (term.start_date < year.start_date || term.end_date > year.end_date) throw termFailures.outsideYear()
}

async function removeTerms(tx: WriteTx, all: Term[]) {
  for (const term of all) if (await isInUse(tx, term)) throw termFailures.inUse()
  await tx.remove('term', all)
}

const isInUse = (tx: WriteTx, term: Term) => anyFound(usesOfTerm, tx, { school: term.school_id, term: term.id })

/** The other terms of a term's present or new year. The year is locked, so that none is added meanwhile. */
async function siblingsOf(tx: WriteTx, year: Row<'academic_year'>, name: string, ownId?: string): Promise<Term[]> {
  const siblings = (await termsOfYear(tx, { school: year.school_id, year: year.id })).filter(({ id }) => id !== ownId)
  if (siblings.some((other) => isSameTermName(other.name, name))) throw termFailures.duplicateName()
  return siblings
}

const demandRoom = (siblings: readonly Term[]) => {
  if (siblings.length >= limits.termsPerYear) throw termFailures.tooMany()
}

export const termHandlers: Handlers<typeof terms> = {
  list: on(terms.list, {
    load: (context, { targets }) => rowOf(context, 'academic_year', targets['yearId']),
    run: ({ tx }, _input, year) => termsOfYear(tx, { school: year.school_id, year: year.id }),
  }),

  get: onLoaded(terms.get, (context, { params }) => rowOf(context, 'term', params.id)),

  create: on(terms.create, {
    load: (context, { targets }) => rowOf(context, 'academic_year', targets['academicYearId']),
    run: async ({ tx }, { body: { academicYearId: _, ...wanted } }, year) => {
      check(columnsOf(wanted), year)
      const siblings = await siblingsOf(tx, year, wanted.name)
      demandRoom(siblings)
      return makeTerm(tx, year, wanted, siblings)
    },
  }),

  update: on(terms.update, {
    load: async (context, { params, targets }) => {
      const term = await rowOf(context, 'term', params.id)
      return { term, year: await rowOf(context, 'academic_year', targets['academicYearId'] ?? term.academic_year_id) }
    },
    run: async ({ tx }, { body }, { term, year }) => {
      const merged = { ...term, ...columnsOf(body) }
      check(merged, year)
      if (year.id !== term.academic_year_id && (await isInUse(tx, term))) throw termFailures.staysInYear()
      const siblings = await siblingsOf(tx, year, merged.name, term.id)
      if (year.id !== term.academic_year_id) demandRoom(siblings)
      return tx.update('term', term, columnsOf(body)).catch(orDuplicate)
    },
  }),

  remove: on(terms.remove, {
    load: (context, { params }) => rowOf(context, 'term', params.id),
    run: async ({ tx }, _input, term) => {
      await removeTerms(tx, [term])
      return { message: 'The term was deleted.' }
    },
  }),

  removeBulk: onGuard(terms.removeBulk, async ({ tx, caller }, { body: { termIds } }) => {
    const found = await termsById(tx, { school: caller.school_id, ids: JSON.stringify(termIds) })
    await removeTerms(tx, inOrder(found, termIds))
    return { message: 'The terms were deleted.' }
  }),
}
