import type { Assessment } from '@markbook/shared/contract/assessments'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, Row, SelectField, TextArea, TextField } from '../../components/field.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { issueOf } from '../../words/failure.ts'
import { DeleteAssessment } from './delete-assessment.tsx'
import { type Draft, draftOf, faultsOf, toBody } from './draft.ts'

type Props = {
  /** Null for a new one. */
  assessment: Assessment | null
  termId: string
  subjectId: string
  /** The class from which it was opened; a new one is offered for it or for every class. */
  classId: string | null
  onClose: () => void
}

/** Adds an assessment or changes one: title, kind, day, maximum, weight, class; whether it counts, and why not. */
export function AssessmentDialog({ assessment, termId, subjectId, classId, onClose }: Props) {
  const { t } = useTranslation(['assessments', 'app'])
  const { tell } = useToasts()
  const create = useSave('assessments', 'create', ['grades', 'classes'])
  const update = useSave('assessments', 'update', ['grades', 'classes'])
  const exclude = useSave('assessments', 'exclude', ['grades'])
  const [draft, setDraft] = useState<Draft>(() => draftOf(assessment))
  const [isTried, setTried] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const faults = isTried ? faultsOf(draft) : {}
  const failure = create.error ?? update.error ?? exclude.error
  const save = async () => {
    setTried(true)
    if (Object.keys(faultsOf(draft)).length > 0) return
    const body = toBody(draft)
    if (!assessment) await create.mutateAsync({ body: { termId, subjectId, ...body } })
    else await update.mutateAsync({ params: { id: assessment.id }, body })
    if (assessment && (assessment.is_excluded !== draft.isExcluded || (assessment.exclusion_reason ?? '') !== draft.reason)) {
      const exclusion = { isExcluded: draft.isExcluded, exclusionReason: draft.isExcluded && draft.reason ? draft.reason : null }
      await exclude.mutateAsync({ params: { id: assessment.id }, body: exclusion })
    }
    tell(t('saved', { title: draft.title }))
    onClose()
  }
  if (assessment && isDeleting) return <DeleteAssessment assessment={assessment} onClose={onClose} />
  return (
    <Dialog open title={assessment ? t('change', { title: assessment.title }) : t('new')} onClose={onClose}>
      <Form onSend={() => void save().catch(() => null)}>
        <FailureNotice failure={failure} />
        <TextField
          label={t('name')}
          hint={t('nameHint')}
          value={draft.title}
          maxLength={200}
          error={faults.title ? t('app:field.required') : issueOf(failure, 'title')}
          onChange={({ target }) => set({ title: target.value })}
        />
        <Row>
          <SelectField label={t('type')} value={draft.type} onChange={({ target }) => set({ type: target.value as Draft['type'] })}>
            <option value="coursework">{t('coursework')}</option>
            <option value="exam">{t('exam')}</option>
          </SelectField>
          <TextField label={t('date')} optional type="date" value={draft.date} onChange={({ target }) => set({ date: target.value })} />
        </Row>
        <Row>
          <TextField
            label={t('max')}
            hint={t('maxHint')}
            inputMode="decimal"
            value={draft.max}
            error={faults.max ? t(faults.max) : issueOf(failure, 'maxScore')}
            onChange={({ target }) => set({ max: target.value })}
          />
          <TextField
            label={t('weight')}
            optional
            hint={t('weightHint')}
            inputMode="decimal"
            value={draft.weight}
            error={faults.weight ? t(faults.weight) : issueOf(failure, 'weight')}
            onChange={({ target }) => set({ weight: target.value })}
          />
        </Row>
        <ClassChoice value={draft.classId} offered={classId} onChoose={(chosen) => set({ classId: chosen })} />
        {assessment && (
          <Checkbox label={t('counts')} checked={!draft.isExcluded} onChange={({ target }) => set({ isExcluded: !target.checked })} />
        )}
        {draft.isExcluded && (
          <TextArea
            label={t('reason')}
            optional
            hint={t('reasonHint')}
            value={draft.reason}
            maxLength={500}
            onChange={({ target }) => set({ reason: target.value })}
          />
        )}
        <Actions>
          {assessment && (
            <Button look="danger" onClick={() => setDeleting(true)}>
              {t('app:action.delete')}
            </Button>
          )}
          <Button onClick={onClose}>{t('app:action.cancel')}</Button>
          <Button
            type="submit"
            look="primary"
            busy={create.isPending || update.isPending || exclude.isPending}
            busyWord={t('app:state.saving')}
          >
            {t('app:action.save')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  )
}

/** Every class, the class from which it was opened, or the one that it has. */
function ClassChoice({ value, offered, onChoose }: { value: string; offered: string | null; onChoose: (classId: string) => void }) {
  const { t } = useTranslation('assessments')
  const classes = useQuery(ask('classes', 'list'))
  const choices = (classes.data ?? []).filter(({ id }) => id === offered || id === value)
  return (
    <SelectField label={t('class')} value={value} onChange={({ target }) => onChoose(target.value)}>
      <option value="">{t('everyClass')}</option>
      {choices.map(({ id, name }) => (
        <option key={id} value={id}>
          {t('classOnly', { name })}
        </option>
      ))}
      {value !== '' && choices.every(({ id }) => id !== value) && <option value={value}>…</option>}
    </SelectField>
  )
}
