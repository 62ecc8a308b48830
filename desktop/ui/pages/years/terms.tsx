import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, Badge, Table } from '../../components/page.tsx'
import { day, number } from '../../words/format.ts'
import { TermDialog } from './term-dialog.tsx'

const NAMES = ['michaelmas', 'hilary', 'trinity'] as const

/** The terms of one year; there are three names, each once. */
export function Terms({ year }: { year: AcademicYear }) {
  const { t } = useTranslation(['years', 'app'])
  const terms = useQuery(ask('terms', 'list', { query: { yearId: year.id } }))
  const [shown, setShown] = useState<Term | 'new' | null>(null)
  const free = NAMES.filter((name) => terms.data?.every((term) => term.name !== name))
  return (
    <>
      <Answer of={terms} empty={t('noTerms')}>
        {(list) => (
          <Table label={`${t('terms')} ${year.name}`}>
            <thead>
              <tr>
                <th scope="col">{t('term')}</th>
                <th scope="col">{t('start')}</th>
                <th scope="col">{t('end')}</th>
                <th scope="col">{t('calculation')}</th>
              </tr>
            </thead>
            <tbody>
              {list.map((term) => (
                <tr key={term.id}>
                  <th scope="row">
                    <Button look="quiet" aria-label={t('changeTerm', { name: t(`app:term.${term.name}`) })} onClick={() => setShown(term)}>
                      {t(`app:term.${term.name}`)}
                    </Button>{' '}
                    {term.is_ministry_reporting && <Badge>{t('ministryBadge')}</Badge>}
                  </th>
                  <td>{day(term.start_date)}</td>
                  <td>{day(term.end_date)}</td>
                  <td>{t('weights', { exam: number(term.exam_weight), coursework: number(term.coursework_weight) })}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Answer>
      {terms.data && free.length > 0 && (
        <div>
          <Button onClick={() => setShown('new')}>{t('addTerm')}</Button>
        </div>
      )}
      {shown && <TermDialog year={year} term={shown === 'new' ? null : shown} free={free} onClose={() => setShown(null)} />}
    </>
  )
}
