import type { Subject } from '@markbook/shared/contract/subjects'
import { useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import { ask, save } from '../../api/queries.ts'
import { MoveButtons } from '../../components/button.tsx'
import { ConfirmDialog, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { Checkbox, TextField } from '../../components/field.tsx'
import { Badge, Page } from '../../components/page.tsx'
import { AnswerTable } from '../../components/table.tsx'
import { tellFailure } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { tellDeleted } from '../bin/restore.ts'

export function SubjectsPage() {
  const { t } = useTranslation('subjects')
  const subjects = useQuery(ask('subjects', 'list'))
  const addition = (
    <DialogButton look="primary" icon={Plus} dialog={<SubjectDialog subject={null} />}>
      {t('add')}
    </DialogButton>
  )
  return (
    <Page title={t('title')} lead={t('lead')} actions={addition}>
      <AnswerTable
        of={subjects}
        empty={t('empty')}
        label={t('title')}
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
            cell: ({ name }, at, list) => (
              <MoveButtons
                at={at}
                count={list.length}
                label={{ up: t('up', { name }), down: t('down', { name }) }}
                onMove={(to) => move(list, at, to)}
              />
            ),
          },
        ]}
      />
    </Page>
  )
}

function move(subjects: readonly Subject[], from: number, to: number): void {
  const subjectIds = subjects.map(({ id }) => id)
  subjectIds.splice(to, 0, ...subjectIds.splice(from, 1))
  void save('subjects', 'reorder', { body: { subjectIds } }).catch(tellFailure)
}

/** Adds a subject (`subject` null) or changes one. */
function SubjectDialog({ subject }: { subject: Subject | null }) {
  const { t } = useTranslation(['subjects', 'app'])
  const form = useForm({
    initial: { name: subject?.name ?? '', code: subject?.code ?? '', isActive: subject?.is_active ?? true },
    save: ({ isActive, ...named }) => {
      const said = t('saved', { name: named.name })
      const remove = (id: string) => save('subjects', 'remove', { params: { id } })
      if (!subject) return saveWithUndo({ said, run: () => save('subjects', 'create', { body: named }), back: ({ id }) => remove(id) })
      const write = (body: Partial<typeof before>) => save('subjects', 'update', { params: { id: subject.id }, body })
      const before = { name: subject.name, code: subject.code, isActive: subject.is_active }
      const after = { ...named, isActive }
      return saveWithUndo({ said, run: () => write(after), back: backTo(before, after, write) })
    },
  })
  const { draft, set, field } = form
  const { name, isActive } = draft
  const deletion = subject && (
    <ConfirmDialog
      title={t('delete', { name })}
      text={t('deleteText')}
      onConfirm={async () => {
        const again = () => save('subjects', 'remove', { params: { id: subject.id } })
        await again()
        tellDeleted(t('deleted', { name: subject.name }), 'subject', { ...subject, again })
      }}
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
