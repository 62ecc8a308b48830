import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { AssessmentCategory } from '@markbook/shared/contract/assessment-categories'
import type { ListedTeachingSet } from '@markbook/shared/contract/teaching-sets'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { Checkbox } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card } from '../../components/page.tsx'
import { enumerated, firstOf } from '../../words/format.ts'
import { type ProposedTerm, termsAfter, termsToSend, withEdits } from './next-terms.ts'
import type { Choices } from './roll-over-plan.ts'
import { TermRows } from './term-rows.tsx'

type Years = { from: AcademicYear; to: AcademicYear }
/**
 * What the new year could take over besides classes. `terms`: where it has none. `hasNewSets`: some sets do not exist in it yet; the others
 * could get pupils.
 */
export type Offer = {
  categories: readonly AssessmentCategory[]
  hasScale: boolean
  sets: readonly ListedTeachingSet[]
  hasNewSets: boolean
  terms: readonly ProposedTerm[]
}

const kindOf = ({ subject_id, assessment_type, name }: AssessmentCategory) => `${subject_id} ${assessment_type} ${name}`

const sameSet = (one: ListedTeachingSet) => (other: ListedTeachingSet) => other.subject_id === one.subject_id && other.name === one.name

/**
 * The categories and sets that the new year does not have, without those of inactive subjects, and whether there is a scale to take over.
 */
export function useOffer({ from, to }: Years): Offer {
  const former = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: from.id } }))
  const existing = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: to.id } }))
  const subjects = useQuery(askWhole('subjects', 'list'))
  const sets = useQuery(ask('teachingSets', 'list', { query: { academicYearId: from.id } }))
  const formerTerms = useQuery(ask('terms', 'list', { query: { yearId: from.id } }))
  const newTerms = useQuery(ask('terms', 'list', { query: { yearId: to.id } }))
  const newSets = useQuery(ask('teachingSets', 'list', { query: { academicYearId: to.id } }))
  const known = new Set(existing.data?.map(kindOf))
  const active = new Set(subjects.data?.flatMap(({ id, is_active }) => (is_active ? [id] : [])))
  const isToCome = (one: AssessmentCategory) => !known.has(kindOf(one)) && (one.subject_id === null || active.has(one.subject_id))
  const offered = newSets.data ? (sets.data ?? []).filter(({ subject_id }) => active.has(subject_id)) : []
  return {
    categories: existing.data ? (former.data ?? []).filter(isToCome) : [],
    hasScale: from.scale_bands !== null && to.scale_bands === null,
    sets: offered,
    hasNewSets: offered.some((set) => !newSets.data?.some(sameSet(set))),
    terms: newTerms.data?.length === 0 ? termsAfter(from, to, formerTerms.data ?? []) : [],
  }
}

type Sent = Pick<Years, 'from'> & { fillsClasses: boolean; repeaterIds: readonly string[] }

/** The part of the request for these. Existing sets are named only where pupils get a class, and then also join their sets. */
export const structureBody = (
  { categories, hasScale, sets, hasNewSets, terms }: Offer,
  { takesCategories, takesScale, takesSets, keepsRepeaters, terms: edits }: Choices,
  { from, fillsClasses, repeaterIds }: Sent,
) => {
  const made = termsToSend(withEdits(terms, edits))
  return {
    ...(categories.length > 0 && takesCategories && { categoriesFromYearId: from.id }),
    ...(hasScale && takesScale && { scaleFromYearId: from.id }),
    ...(takesSets &&
      (hasNewSets || (fillsClasses && sets.length > 0)) && {
        setsFromYearId: from.id,
        ...(repeaterIds.length > 0 && !keepsRepeaters && { outOfSetsStudentIds: [...repeaterIds] }),
      }),
    ...(made.length > 0 && { terms: made }),
  }
}

type Props = Years & { offer: Offer; repeaters: number; choices: Choices; onChange: (change: Partial<Choices>) => void }

export function Structure({ from, to, offer: { categories, hasScale, sets, terms }, repeaters, choices, onChange }: Props) {
  const { t } = useTranslation('years')
  if (categories.length === 0 && !hasScale && sets.length === 0 && terms.length === 0) return null
  const names = enumerated([...new Set(categories.map(({ name }) => name))])
  return (
    <Card title={t('structure')}>
      {terms.length > 0 && (
        <TermRows
          terms={withEdits(terms, choices.terms)}
          year={to}
          hint={t('newTerms.asIn', { year: from.name })}
          onChange={(key, edit) => onChange({ terms: { ...choices.terms, [key]: { ...choices.terms[key], ...edit } } })}
        />
      )}
      {categories.length > 0 && (
        <Checkbox
          label={t('takesCategories', { names })}
          checked={choices.takesCategories}
          onChange={({ target }) => onChange({ takesCategories: target.checked })}
        />
      )}
      {sets.length > 0 && (
        <>
          <Checkbox
            label={t('takesSets', {
              names: firstOf(
                sets.map(({ name }) => name),
                8,
                ', ',
              ),
            })}
            checked={choices.takesSets}
            onChange={({ target }) => onChange({ takesSets: target.checked })}
          />
          <p className={layout['note']}>{t('takesSetsHint', { year: to.name })}</p>
        </>
      )}
      {sets.length > 0 && choices.takesSets && repeaters > 0 && (
        <Checkbox
          label={t('keepsRepeaters', { count: repeaters })}
          checked={choices.keepsRepeaters}
          onChange={({ target }) => onChange({ keepsRepeaters: target.checked })}
        />
      )}
      {hasScale && (
        <>
          <Checkbox
            label={t('takesScale', { year: from.name })}
            checked={choices.takesScale}
            onChange={({ target }) => onChange({ takesScale: target.checked })}
          />
          <p className={layout['note']}>{t('takesScaleHint', { year: to.name })}</p>
        </>
      )}
    </Card>
  )
}
