import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { StudentName } from '@markbook/shared/contract/scalars'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, askWhole } from '../../api/queries.ts'
import { Options, SelectField } from '../../components/field.tsx'
import { Answer, Empty, Page } from '../../components/page.tsx'
import { listedName } from '../../words/names.ts'
import { RollOverForm } from './roll-over-form.tsx'
import { type Former, NO_CLASS } from './roll-over-plan.ts'

/** Opens the classes of a year from those of an earlier one: choices and exceptions, a dry run, then one write. */
export function RollOverPage() {
  const { t } = useTranslation('years')
  const { yearId } = useParams({ from: '/school/years/$yearId/roll-over' })
  const years = useQuery(ask('academicYears', 'list'))
  const year = years.data?.find(({ id }) => id === yearId)
  const others = (years.data ?? []).filter(({ id, start_date }) => id !== yearId && start_date < (year?.start_date ?? ''))
  const [chosenId, setChosenId] = useState('')
  const from = others.find(({ id }) => id === chosenId) ?? others[0]
  return (
    <Page title={t('rollOverTitle', { name: year?.name ?? '…' })} lead={t('rollOverLead')}>
      <Answer of={years}>
        {() =>
          from && year ? (
            <>
              <SelectField label={t('from')} value={from.id} onChange={({ target }) => setChosenId(target.value)}>
                <Options of={others} />
              </SelectField>
              <Classes key={from.id} from={from} to={year} />
            </>
          ) : (
            <Empty>{t('noOther')}</Empty>
          )
        }
      </Answer>
    </Page>
  )
}

type Years = { from: AcademicYear; to: AcademicYear }

function Classes({ from, to }: Years) {
  const [classes, before] = [useClasses(from.id), usePlaces(from.id)]
  const [existing, now] = [useClasses(to.id), usePlaces(to.id)]
  const pupils = useQuery(askWhole('students', 'list', { query: { isActive: 'true' } }))
  return (
    <Answer of={classes}>
      {(groups) => (
        <Answer of={existing}>
          {(here) => (
            <Answer of={before}>
              {(places) => (
                <Answer of={now}>
                  {(placed) => (
                    <Answer of={pupils}>
                      {(list) => (
                        <RollOverForm
                          from={from}
                          to={to}
                          former={formerClasses({ groups, places, placed, pupils: list })}
                          existing={here}
                          sizes={sizesOf(placed)}
                        />
                      )}
                    </Answer>
                  )}
                </Answer>
              )}
            </Answer>
          )}
        </Answer>
      )}
    </Answer>
  )
}

const useClasses = (academicYearId: string) => useQuery(ask('classes', 'list', { query: { academicYearId } }))
const usePlaces = (academicYearId: string) => useQuery(askWhole('classes', 'places', { query: { academicYearId } }))

type Placement = { student_id: string; student_group_id: string }

const sizesOf = (places: readonly Placement[]): ReadonlyMap<string, number> => {
  const sizes = new Map<string, number>()
  for (const { student_group_id: id } of places) sizes.set(id, (sizes.get(id) ?? 0) + 1)
  return sizes
}

type SchoolYearData = {
  groups: readonly { id: string; name: string }[]
  places: readonly Placement[]
  placed: readonly Placement[]
  pupils: readonly StudentName[]
}

/** The classes of last year with their pupils who have no class yet, then the pupils who had no class. */
function formerClasses({ groups, places, placed, pupils }: SchoolYearData): Former[] {
  const classOf = new Map(places.map(({ student_id, student_group_id }) => [student_id, student_group_id]))
  const hasPlace = new Set(placed.map(({ student_id }) => student_id))
  const inClass = (id: string) => pupils.filter((pupil) => (classOf.get(pupil.id) ?? NO_CLASS) === id)
  return [...groups, { id: NO_CLASS, name: '' }].map(({ id, name }) => {
    const all = inClass(id)
    const waiting = all.filter((pupil) => !hasPlace.has(pupil.id))
    return { id, name, placed: all.length - waiting.length, pupils: waiting.map((pupil) => ({ id: pupil.id, name: listedName(pupil) })) }
  })
}
