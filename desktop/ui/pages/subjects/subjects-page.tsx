import type { Subject } from '@markbook/shared/contract/subjects'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ask, save } from '../../api/queries.ts'
import { MoveButtons } from '../../components/button.tsx'
import { ConfirmDialog, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { Checkbox, TextField } from '../../components/field.tsx'
import { Answer, Badge, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'

export function SubjectsPage() {
  const { t } = useTranslation('subjects')
  const subjects = useQuery(ask('subjects', 'list'))
  const addition = (
    <DialogButton look="primary" dialog={<SubjectDialog subject={null} />}>
      {t('add')}
    </DialogButton>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={addition}>
      <Answer of={subjects} empty={t('empty')}>
        {(list) => <SubjectTable subjects={list} />}
      </Answer>
    </Page>
  )
}

function SubjectTable({ subjects }: { subjects: readonly Subject[] }) {
  const { t } = useTranslation('subjects')
  const move = (from: number, to: number) => {
    const ids = subjects.map(({ id }) => id)
    ids.splice(to, 0, ...ids.splice(from, 1))
    void save('subjects', 'reorder', { body: { subjectIds: ids } }).catch(tellFailure)
  }
  return (
    <Table
      label={t('title')}
      rows={subjects}
      keyOf={({ id }) => id}
      rowName={1}
      columns={[
        { head: t('code'), cell: ({ code }) => code },
        {
          head: t('name'),
          cell: (subject) => (
            <>
              <DialogButton look="quiet" aria-label={t('change', { name: subject.name })} dialog={<SubjectDialog subject={subject} />}>
                {subject.name}
              </DialogButton>{' '}
              {!subject.is_active && <Badge>{t('inactive')}</Badge>}
            </>
          ),
        },
        {
          head: t('order'),
          cell: ({ name }, at) => (
            <MoveButtons
              at={at}
              count={subjects.length}
              label={{ up: t('up', { name }), down: t('down', { name }) }}
              onMove={(to) => move(at, to)}
            />
          ),
        },
      ]}
    />
  )
}

/** Adds a subject (`subject` is null) or changes one. */
function SubjectDialog({ subject }: { subject: Subject | null }) {
  const { t } = useTranslation(['subjects', 'app'])
  const form = useForm({
    initial: { name: subject?.name ?? '', code: subject?.code ?? '', isActive: subject?.is_active ?? true },
    save: async ({ isActive, ...named }) => {
      if (subject) await save('subjects', 'update', { params: { id: subject.id }, body: { ...named, isActive } })
      else await save('subjects', 'create', { body: named })
      return t('saved', { name: named.name })
    },
  })
  const { draft, set, field } = form
  const { name, isActive } = draft
  const deletion = subject && (
    <ConfirmDialog
      title={t('delete', { name })}
      text={t('deleteText')}
      onConfirm={() => save('subjects', 'remove', { params: { id: subject.id } })}
    />
  )
  return (
    <FormDialog title={subject ? t('change', { name: subject.name }) : t('add')} form={form} deletion={deletion}>
      <TextField {...field('name')} label={t('name')} maxLength={200} />
      <TextField {...field('code')} label={t('code')} hint={t('codeHint')} maxLength={20} />
      {subject && <Checkbox label={t('taught')} checked={isActive} onChange={({ target }) => set({ isActive: target.checked })} />}
    </FormDialog>
  )
}
