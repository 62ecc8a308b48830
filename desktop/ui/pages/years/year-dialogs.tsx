import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { Term } from '@markbook/shared/contract/terms'
import { isKnownTerm, TERM_NAMES } from '@markbook/shared/domain/term-names'
import type { Failure } from '@markbook/shared/failures'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, refresh, save } from '../../api/queries.ts'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, demandEmpty, saveWithUndo } from '../../components/with-undo.ts'
import { chooseNothing } from '../../frame/chosen-term.ts'
import { editable, enumerated, number, typedNumber } from '../../words/format.ts'
import { termLabel } from '../../words/term-label.ts'
import { tellDeleted } from '../bin/restore.ts'
import { daysOf, NewYearTerms, useProposedTerms } from './new-year-terms.tsx'
import { areFaultless, faultOf, type TermEdits, termsToSend } from './next-terms.ts'
import { yearAfter } from './next-year.ts'
import { overlapping, proposedDays } from './term-days.ts'
import { useDayFault } from './term-rows.tsx'

/** The form values of a year; null for a new one without an earlier year. */
const draftOf = (year: Omit<AcademicYear, 'id'> | null) => ({
  name: year?.name ?? '',
  startDate: year?.start_date ?? '',
  endDate: year?.end_date ?? '',
  model: year?.grading_model ?? ('term_based' as const),
  calculation: year?.grading_model === 'year_based' ? year.calculation_model : ('weighted_continuous' as const),
  exam: editable(year?.year_exam_weight ?? 60),
  coursework: editable(year?.year_coursework_weight ?? 40),
  /** For a new year: the structure of its terms where no earlier year has any; and the changes of the proposed terms. */
  structure: '',
  terms: {} as TermEdits,
  /** For a new year: add it although one has the same name or days. */
  mayRepeat: false,
})
type Draft = ReturnType<typeof draftOf>

const isReversed = ({ startDate, endDate }: Draft) => startDate !== '' && endDate !== '' && endDate <= startDate

/** A year counted by its terms has no weights of its own (decisions §4). */
const toBody = ({ name, startDate, endDate, model, calculation, exam, coursework }: Draft) => ({
  name: name.trim(),
  startDate,
  endDate,
  gradingModel: model,
  calculationModel: model === 'year_based' ? calculation : null,
  yearExamWeight: model === 'year_based' ? typedNumber(exam) : null,
  yearCourseworkWeight: model === 'year_based' ? typedNumber(coursework) : null,
})

const calculationModels = ['weighted_continuous', 'continuous_cumulative', 'weighted_cumulative'] as const

const removeYear = (id: string) => save('academicYears', 'remove', { params: { id } }, ['terms', 'classes'])

/** Throws where a new year has classes, sets, categories or other terms by now. `terms`: with how many it was added. */
async function demandEmptyYear(id: string, terms: number): Promise<void> {
  const query = { academicYearId: id }
  demandEmpty((await client.terms.list({ query: { yearId: id } })).length === terms)
  demandEmpty((await client.classes.list({ query })).length === 0)
  demandEmpty((await client.teachingSets.list({ query })).length === 0)
  demandEmpty((await client.assessmentCategories.list({ query })).length === 0)
}

/** Activates or deactivates a year. This window then shows the active year; others can be chosen. */
export async function setActive(id: string, isActive: boolean) {
  await save('academicYears', isActive ? 'activate' : 'deactivate', { params: { id } }, ['terms', 'classes'])
  chooseNothing()
}

/** Adds a year (`year` null) or changes one. */
export function YearDialog({ year }: { year: AcademicYear | null }) {
  const { t } = useTranslation(['years', 'app'])
  const years = useQuery(ask('academicYears', 'list'))
  // As they were when the dialog opened: a year that is added meanwhile does not change what is typed.
  const [before] = useState(years.data ?? [])
  const proposedName = year === null ? yearAfter(before)?.name : undefined
  const offer = useProposedTerms(year === null, before)
  const form = useForm({
    initial: () => draftOf(year ?? yearAfter(before)),
    required: ['name', 'startDate', 'endDate'],
    isValid: (typed) =>
      !isReversed(typed) && (typed.model !== 'year_based' || sumOf(typed) === 100) && areFaultless(offer.proposedFor(typed), daysOf(typed)),
    save: async (typed) => {
      const body = toBody(typed)
      const said = t('saved', { name: body.name })
      if (year) {
        const write = (fields: Partial<typeof body>) =>
          save('academicYears', 'update', { params: { id: year.id }, body: fields }, ['terms'])
        return void (await saveWithUndo({ said, run: () => write(body), back: backTo(toBody(draftOf(year)), body, write) }))
      }
      // The first year becomes the active one.
      const isFirst = years.data?.length === 0
      const terms = termsToSend(offer.proposedFor(typed))
      await saveWithUndo({
        said,
        run: async () => {
          const { mayRepeat } = typed
          const made = await save('academicYears', 'create', { body: { ...body, terms, isActive: isFirst, mayRepeat } }, [
            'terms',
            'classes',
          ]).catch((failure) => {
            if (isRepeated(failure)) void refresh(['academicYears'])
            throw failure
          })
          if (isFirst) chooseNothing()
          return made
        },
        back: async ({ id }) => {
          await demandEmptyYear(id, terms.length)
          if (isFirst) await setActive(id, false)
          await removeYear(id)
        },
      })
    },
  })
  const { draft, set, field } = form
  return (
    <FormDialog
      title={year ? t('changeYear', { name: year.name }) : t('newYear')}
      form={form}
      disabled={!offer.isKnown}
      deletion={
        year && (
          <ConfirmDialog
            title={t('deleteYear', { name: year.name })}
            text={t('deleteYearText')}
            onConfirm={async () => {
              await removeYear(year.id)
              tell(t('deleted', { name: year.name }))
            }}
          />
        )
      }
    >
      {(draft.mayRepeat || isRepeated(form.failure)) && (
        <Checkbox label={t('repeat')} checked={draft.mayRepeat} onChange={({ target }) => set({ mayRepeat: target.checked })} />
      )}
      <TextField
        {...field('name')}
        label={t('name')}
        hint={t('nameHint')}
        maxLength={200}
        // A typed name replaces the proposed one.
        onFocus={({ target }) => target.value === proposedName && target.select()}
      />
      <Row>
        <TextField {...field('startDate')} label={t('start')} type="date" />
        <TextField
          {...field('endDate')}
          label={t('end')}
          type="date"
          error={isReversed(draft) ? t('app:fault.afterFirstDay') : field('endDate').error}
        />
      </Row>
      <SelectField label={t('model')} hint={t(draft.model === 'term_based' ? 'termBasedHint' : 'yearBasedHint')} {...field('model')}>
        <Options of={(['term_based', 'year_based'] as const).map((id) => ({ id, name: t(id) }))} />
      </SelectField>
      {draft.model === 'year_based' && (
        <>
          <SelectField label={t('calculation')} {...field('calculation')}>
            <Options of={calculationModels.map((id) => ({ id, name: t(id) }))} />
          </SelectField>
          <WeightFields
            labels={{ exam: t('yearExam'), coursework: t('yearCoursework') }}
            value={draft}
            error={form.refusal('yearExamWeight', ['exam', 'coursework'])}
            onChange={set}
          />
        </>
      )}
      {year === null && <NewYearTerms {...{ offer, draft }} onChange={set} />}
    </FormDialog>
  )
}

const isRepeated = (failure: unknown) => (failure as Partial<Failure> | null)?.code === 'academic_years.repeated'

const removeTerm = (id: string) => save('terms', 'remove', { params: { id } })
const fieldsOf = (term: Term) => ({
  name: term.name,
  startDate: term.start_date,
  endDate: term.end_date,
  examWeight: term.exam_weight,
  courseworkWeight: term.coursework_weight,
  isMinistryReporting: term.is_ministry_reporting,
})

type TermDialogProps = { year: AcademicYear; term: Term | null; terms: readonly Term[] }
/** The option of the select for the school's own name, which is typed beside it. */
const OWN = 'own'

/** Adds a term to the year (`term` null) or changes one. */
export function TermDialog({ year, term, terms }: TermDialogProps) {
  const { t } = useTranslation(['years', 'app'])
  const proposalFor = (name: Term['name']) =>
    term ? { startDate: term.start_date, endDate: term.end_date } : proposedDays(year, terms, name)
  const free = TERM_NAMES.filter((known) => terms.every(({ id, name }) => name !== known || id === term?.id))
  // In a year whose terms have the school's own names the next term gets one too.
  const proposed = terms.every(({ name }) => isKnownTerm(name)) ? (free[0] ?? OWN) : OWN
  const firstName = term ? (isKnownTerm(term.name) ? term.name : OWN) : proposed
  const form = useForm({
    initial: () => ({
      choice: firstName as string,
      name: term && firstName === OWN ? term.name : '',
      ...proposalFor(firstName),
      exam: editable(term?.exam_weight ?? 60),
      coursework: editable(term?.coursework_weight ?? 40),
      isMinistryReporting: term?.is_ministry_reporting ?? false,
    }),
    isValid: (typed) => sumOf(typed) === 100 && nameIn(typed) !== '' && faultOf(typed, year) === null,
    save: async ({ exam, coursework, choice, name: own, ...rest }) => {
      const name = nameIn({ choice, name: own })
      const body = { ...rest, name, examWeight: typedNumber(exam) ?? 0, courseworkWeight: typedNumber(coursework) ?? 0 }
      const said = t('saved', { name: termLabel(name) })
      if (!term) {
        const run = () => save('terms', 'create', { body: { academicYearId: year.id, ...body } })
        return void (await saveWithUndo({ said, run, back: ({ id }) => removeTerm(id) }))
      }
      const write = (fields: Partial<typeof body>) => save('terms', 'update', { params: { id: term.id }, body: fields })
      await saveWithUndo({ said, run: () => write(body), back: backTo(fieldsOf(term), body, write) })
    },
  })
  const { draft, set, field } = form
  const shownName = termLabel(nameIn(draft))
  const fault = faultOf(draft, year)
  const faultIn = useDayFault()
  // A term with a wrong day has the message about that day alone.
  const overlaps = fault ? [] : overlapping(draft, terms, term?.id)
  const days = { type: 'date', min: year.start_date, max: year.end_date }
  const deletion = term && (
    <ConfirmDialog
      title={t('deleteTerm', { name: shownName })}
      text={t('deleteTermText')}
      onConfirm={async () => {
        const again = () => removeTerm(term.id)
        await again()
        tellDeleted(t('termDeleted', { name: shownName }), 'term', { id: term.id, name: shownName, again })
      }}
    />
  )
  return (
    <FormDialog title={term ? t('changeTerm', { name: shownName }) : t('newTerm')} form={form} deletion={deletion}>
      <SelectField
        label={t('term')}
        value={draft.choice}
        error={draft.choice === OWN ? undefined : field('name', ['choice']).error}
        onChange={({ target: { value: choice } }) => {
          const before = proposalFor(draft.choice)
          const isProposal = draft.startDate === before.startDate && draft.endDate === before.endDate
          set({ choice, ...(isProposal && proposalFor(choice)) })
        }}
      >
        <Options of={[...free.map((id) => ({ id, name: termLabel(id) })), { id: OWN, name: t('ownWord') }]} />
      </SelectField>
      {draft.choice === OWN && (
        <TextField
          {...field('name')}
          label={t('termName')}
          hint={t('termNameHint')}
          error={field('name', ['choice']).error ?? (form.isChecked && nameIn(draft) === '' ? t('app:field.required') : undefined)}
          maxLength={40}
        />
      )}
      <Row>
        <TextField {...days} {...field('startDate')} label={t('start')} error={faultIn(fault, 'startDate') ?? field('startDate').error} />
        <TextField {...days} {...field('endDate')} label={t('end')} error={faultIn(fault, 'endDate') ?? field('endDate').error} />
      </Row>
      {overlaps.length > 0 && (
        <Notice tone="warn">{t('overlap', { names: enumerated(overlaps.map(({ name }) => termLabel(name))) })}</Notice>
      )}
      <WeightFields
        labels={{ exam: t('exam'), coursework: t('coursework') }}
        value={draft}
        error={form.refusal('examWeight', ['exam', 'coursework'])}
        onChange={set}
      />
      <Checkbox
        label={
          <>
            {t('ministry')}. {t('ministryHint')}
          </>
        }
        checked={draft.isMinistryReporting}
        onChange={({ target }) => set({ isMinistryReporting: target.checked })}
      />
    </FormDialog>
  )
}

const nameIn = ({ choice, name }: { choice: string; name: string }) => (choice === OWN ? name.trim() : choice)

type Weights = { exam: string; coursework: string }

/** The sum of two typed shares; null if one is no number. */
function sumOf({ exam, coursework }: Weights): number | null {
  const [first, second] = [typedNumber(exam), typedNumber(coursework)]
  return first === null || second === null ? null : Math.round((first + second) * 100) / 100
}

/** The share that makes 100 with the typed one; '' where that is not possible. */
const complementOf = (typed: string): string => {
  const share = typedNumber(typed)
  return share === null || share < 0 || share > 100 ? '' : editable(Math.round((100 - share) * 100) / 100)
}

type WeightFieldsProps = { labels: Weights; value: Weights; error?: string | undefined; onChange: (value: Weights) => void }

/** Two shares with the sum 100: typing one fills in the other. */
function WeightFields({ labels, value, error, onChange }: WeightFieldsProps) {
  const { t } = useTranslation('years')
  const sum = sumOf(value)
  const problem = sum === null ? t('notNumber') : sum === 100 ? undefined : t('sum', { sum: number(sum) })
  return (
    <Row>
      <TextField
        label={labels.exam}
        inputMode="decimal"
        value={value.exam}
        error={error ?? problem}
        hint={sum === 100 ? t('sumOk') : undefined}
        onChange={({ target }) => onChange({ exam: target.value, coursework: complementOf(target.value) || value.coursework })}
      />
      <TextField
        label={labels.coursework}
        inputMode="decimal"
        value={value.coursework}
        onChange={({ target }) => onChange({ coursework: target.value, exam: complementOf(target.value) || value.exam })}
      />
    </Row>
  )
}
