import type { Subject } from '@markbook/shared/contract/subjects'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Answer, Badge, Page, Table } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { SubjectDialog } from './subject-dialog.tsx'

export function SubjectsPage() {
  const { t } = useTranslation('subjects')
  const subjects = useQuery(ask('subjects', 'list'))
  const [shown, setShown] = useState<Subject | 'new' | null>(null)
  const addition = (
    <Button look="primary" onClick={() => setShown('new')}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={addition}>
      <Answer of={subjects} empty={t('empty')}>
        {(list) => <SubjectTable subjects={list} onChoose={setShown} />}
      </Answer>
      {shown && <SubjectDialog subject={shown === 'new' ? null : shown} onClose={() => setShown(null)} />}
    </Page>
  )
}

function SubjectTable({ subjects, onChoose }: { subjects: readonly Subject[]; onChoose: (subject: Subject) => void }) {
  const { t } = useTranslation('subjects')
  const { tellFailure } = useToasts()
  const reorder = useSave('subjects', 'reorder')
  const move = (from: number, to: number) => {
    const ids = subjects.map(({ id }) => id)
    ids.splice(to, 0, ...ids.splice(from, 1))
    reorder.mutate({ body: { subjectIds: ids } }, { onError: tellFailure })
  }
  return (
    <Table label={t('title')}>
      <thead>
        <tr>
          <th scope="col">{t('code')}</th>
          <th scope="col">{t('name')}</th>
          <th scope="col">{t('order')}</th>
        </tr>
      </thead>
      <tbody>
        {subjects.map((subject, at) => (
          <tr key={subject.id}>
            <td>{subject.code}</td>
            <th scope="row">
              <Button look="quiet" aria-label={t('change', { name: subject.name })} onClick={() => onChoose(subject)}>
                {subject.name}
              </Button>{' '}
              {!subject.is_active && <Badge>{t('inactive')}</Badge>}
            </th>
            <td>
              <Button size="small" aria-label={t('up', { name: subject.name })} disabled={at === 0} onClick={() => move(at, at - 1)}>
                ↑
              </Button>{' '}
              <Button
                size="small"
                aria-label={t('down', { name: subject.name })}
                disabled={at === subjects.length - 1}
                onClick={() => move(at, at + 1)}
              >
                ↓
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
