import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, Row, SelectField, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'
import { editable, typedNumber } from '../../words/format.ts'
import { sumOf, WeightFields } from './weights.tsx'

type Props = { year: AcademicYear; term: Term | null; free: readonly Term['name'][]; onClose: () => void }

/** Adds a term to the year (`term` is null) or changes one. */
export function TermDialog({ year, term, free, onClose }: Props) {
  const { t } = useTranslation(['years', 'app'])
  const { tell } = useToasts()
  const create = useSave('terms', 'create')
  const update = useSave('terms', 'update')
  const remove = useSave('terms', 'remove')
  const [isDeleting, setDeleting] = useState(false)
  const [draft, setDraft] = useState(() => ({
    name: term?.name ?? free[0] ?? ('michaelmas' as const),
    start: term?.start_date ?? year.start_date,
    end: term?.end_date ?? year.end_date,
    exam: editable(term?.exam_weight ?? 60),
    coursework: editable(term?.coursework_weight ?? 40),
    isMinistry: term?.is_ministry_reporting ?? false,
  }))
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const failure = create.error ?? update.error
  const shownName = t(`app:term.${draft.name}`)
  const save = async () => {
    if (sumOf(draft) !== 100) return
    const body = {
      name: draft.name,
      startDate: draft.start,
      endDate: draft.end,
      examWeight: typedNumber(draft.exam) ?? 0,
      courseworkWeight: typedNumber(draft.coursework) ?? 0,
      isMinistryReporting: draft.isMinistry,
    }
    if (term) await update.mutateAsync({ params: { id: term.id }, body })
    else await create.mutateAsync({ body: { academicYearId: year.id, ...body } })
    tell(t('saved', { name: shownName }))
    onClose()
  }
  if (term && isDeleting) {
    const confirm = () => remove.mutateAsync({ params: { id: term.id } })
    return (
      <ConfirmDialog
        title={t('deleteTerm', { name: shownName })}
        text={t('deleteTermText')}
        action={t('app:action.delete')}
        onConfirm={confirm}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog open title={term ? t('changeTerm', { name: shownName }) : t('newTerm')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={failure} />
        <SelectField label={t('term')} value={draft.name} onChange={({ target }) => set({ name: target.value as Term['name'] })}>
          {[...(term ? [term.name] : []), ...free].map((name) => (
            <option key={name} value={name}>
              {t(`app:term.${name}`)}
            </option>
          ))}
        </SelectField>
        <Row>
          <TextField
            label={t('start')}
            type="date"
            min={year.start_date}
            max={year.end_date}
            value={draft.start}
            error={issueOf(failure, 'startDate')}
            onChange={({ target }) => set({ start: target.value })}
          />
          <TextField
            label={t('end')}
            type="date"
            min={year.start_date}
            max={year.end_date}
            value={draft.end}
            error={issueOf(failure, 'endDate')}
            onChange={({ target }) => set({ end: target.value })}
          />
        </Row>
        <WeightFields
          labels={{ exam: t('exam'), coursework: t('coursework') }}
          value={draft}
          error={issueOf(failure, 'examWeight')}
          onChange={set}
        />
        <Checkbox
          label={
            <>
              {t('ministry')}. {t('ministryHint')}
            </>
          }
          checked={draft.isMinistry}
          onChange={({ target }) => set({ isMinistry: target.checked })}
        />
        <Actions>
          {term && (
            <Button look="danger" onClick={() => setDeleting(true)}>
              {t('app:action.delete')}
            </Button>
          )}
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button type="submit" look="primary" busy={create.isPending || update.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}
