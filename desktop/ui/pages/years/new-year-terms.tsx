import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Options, SelectField } from '../../components/field.tsx'
import { Answer } from '../../components/page.tsx'
import { useUnloadQuestion } from '../../components/use-form.ts'
import { enumerated } from '../../words/format.ts'
import { termLabel } from '../../words/term-label.ts'
import { isStructure, type Structure, structures, type TermEdits, termsAfter, termsInParts, withEdits } from './next-terms.ts'
import { latestOf } from './next-year.ts'
import { TermRows, useStructureNames } from './term-rows.tsx'

/** The new year as typed. `structure`: that of its terms, '' for none; `terms`: the changes of the proposed terms. */
type Draft = { name: string; startDate: string; endDate: string; structure: string; terms: TermEdits }

/** The terms to propose for a new year: those of the latest year, or the chosen structure where that has none. */
export function useProposedTerms(isNew: boolean, years: readonly AcademicYear[]) {
  const latest = isNew ? latestOf(years) : null
  const namesOf = useStructureNames()
  const former = useQuery({ ...ask('terms', 'list', { query: { yearId: latest?.id ?? '' } }), enabled: latest !== null })
  const isKnown = latest === null || former.data !== undefined
  const proposedFor = ({ name, startDate, endDate, structure, terms }: Draft) => {
    const to = { name: name.trim(), start_date: startDate, end_date: endDate }
    if (latest && former.data?.length) return withEdits(termsAfter(latest, to, former.data), terms)
    return withEdits(isStructure(structure) ? termsInParts(to, namesOf(structure)) : [], terms)
  }
  return { former, latest, isKnown, hasFormer: (former.data ?? []).length > 0, proposedFor }
}

export const daysOf = ({ startDate, endDate }: Pick<Draft, 'startDate' | 'endDate'>) => ({ start_date: startDate, end_date: endDate })

type Props = { offer: ReturnType<typeof useProposedTerms>; draft: Draft; onChange: (change: Partial<Draft>) => void }

/** The terms that are added together with a new year. */
export function NewYearTerms({ offer: { former, latest, isKnown, hasFormer, proposedFor }, draft, onChange }: Props) {
  const { t } = useTranslation('years')
  const namesOf = useStructureNames()
  useUnloadQuestion(() => Object.keys(draft.terms).length > 0)
  if (!isKnown) return <Answer of={former}>{() => null}</Answer>
  const terms = proposedFor(draft)
  const choices = (Object.keys(structures) as Structure[]).map((id) => ({
    id,
    name: enumerated(namesOf(id).map(termLabel)),
  }))
  return (
    <>
      {!hasFormer && (
        <SelectField
          label={t('newTerms.structure')}
          value={draft.structure}
          onChange={({ target }) => onChange({ structure: target.value })}
        >
          <Options of={[{ id: '', name: t('newTerms.later') }, ...choices]} />
        </SelectField>
      )}
      {terms.length > 0 && (
        <TermRows
          terms={terms}
          year={daysOf(draft)}
          hint={hasFormer ? t('newTerms.asIn', { year: latest?.name }) : t('sets.text')}
          onChange={(key, edit) => onChange({ terms: { ...draft.terms, [key]: { ...draft.terms[key], ...edit } } })}
        />
      )}
    </>
  )
}
