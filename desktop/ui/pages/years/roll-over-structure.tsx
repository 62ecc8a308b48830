import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { AssessmentCategory } from '@markbook/shared/contract/assessment-categories'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { Checkbox } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card } from '../../components/page.tsx'
import { enumerated } from '../../words/format.ts'
import type { Choices } from './roll-over-plan.ts'

type Years = { from: AcademicYear; to: AcademicYear }
/** What the new year could take over beside its classes. */
export type Offer = { categories: readonly AssessmentCategory[]; hasScale: boolean }

const kindOf = ({ subject_id, assessment_type, name }: AssessmentCategory) => `${subject_id} ${assessment_type} ${name}`

/** The categories that the new year does not have, but for those of inactive subjects; and whether there is a scale that could come along. */
export function useOffer({ from, to }: Years): Offer {
  const former = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: from.id } }))
  const existing = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: to.id } }))
  const subjects = useQuery(askWhole('subjects', 'list'))
  const known = new Set(existing.data?.map(kindOf))
  const active = new Set(subjects.data?.flatMap(({ id, is_active }) => (is_active ? [id] : [])))
  const isToCome = (one: AssessmentCategory) => !known.has(kindOf(one)) && (one.subject_id === null || active.has(one.subject_id))
  return {
    categories: existing.data ? (former.data ?? []).filter(isToCome) : [],
    hasScale: from.scale_bands !== null && to.scale_bands === null,
  }
}

/** What is sent of it. */
export const structureBody = (
  { categories, hasScale }: Offer,
  { takesCategories, takesScale }: Choices,
  { from }: Pick<Years, 'from'>,
) => ({
  ...(categories.length > 0 && takesCategories && { categoriesFromYearId: from.id }),
  ...(hasScale && takesScale && { scaleFromYearId: from.id }),
})

type Props = Years & { offer: Offer; choices: Choices; onChange: (change: Partial<Choices>) => void }

export function Structure({ from, to, offer: { categories, hasScale }, choices, onChange }: Props) {
  const { t } = useTranslation('years')
  if (categories.length === 0 && !hasScale) return null
  const names = enumerated([...new Set(categories.map(({ name }) => name))])
  return (
    <Card title={t('structure')}>
      {categories.length > 0 && (
        <Checkbox
          label={t('takesCategories', { names })}
          checked={choices.takesCategories}
          onChange={({ target }) => onChange({ takesCategories: target.checked })}
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
