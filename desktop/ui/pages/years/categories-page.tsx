import type { AcademicYear } from '@markbook/shared/contract/academic-years'
import type { AssessmentCategory } from '@markbook/shared/contract/assessment-categories'
import type { Subject } from '@markbook/shared/contract/subjects'
import { weightLeft } from '@markbook/shared/domain/categories'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import { ask, type RequestOf, type ResourceName, save } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { ConfirmDialog, DialogButton, FormDialog } from '../../components/dialog.tsx'
import { Checkbox, Options, Row, SelectField, TextField } from '../../components/field.tsx'
import { Answer, Card, Notice, Page } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, saveWithUndo } from '../../components/with-undo.ts'
import { editable, number, typedNumber } from '../../words/format.ts'

const TYPES = ['coursework', 'exam'] as const
const CONCERNED: readonly ResourceName[] = ['calculations', 'grades', 'reports']

/** The categories of the assessments of a year, for every subject and for single ones. */
export function CategoriesPage() {
  const { t } = useTranslation('years')
  const { yearId } = useParams({ from: '/school/years/$yearId/categories' })
  const years = useQuery(ask('academicYears', 'list'))
  const categories = useQuery(ask('assessmentCategories', 'list', { query: { academicYearId: yearId } }))
  const subjects = useQuery(ask('subjects', 'list'))
  const year = years.data?.find(({ id }) => id === yearId)
  const mayChange = isAdmin(useProfile())
  if (!year)
    return (
      <Page title={t('category.open')}>
        <Answer of={years}>{() => null}</Answer>
      </Page>
    )
  return (
    <Page
      title={t('category.title', { year: year.name })}
      lead={t('category.lead')}
      actions={
        mayChange && (
          <DialogButton look="primary" icon={Plus} dialog={<CategoryDialog year={year} category={null} subjects={subjects.data ?? []} />}>
            {t('category.add')}
          </DialogButton>
        )
      }
    >
      <Answer of={categories} empty={t('category.empty')}>
        {(list) =>
          [null, ...(subjects.data ?? [])]
            .filter((subject) => list.some(({ subject_id }) => subject_id === (subject?.id ?? null)))
            .map((subject) => (
              <Group
                key={subject?.id ?? ''}
                year={year}
                all={list}
                subject={subject}
                subjects={subjects.data ?? []}
                mayChange={mayChange}
              />
            ))
        }
      </Answer>
    </Page>
  )
}

type GroupProps = {
  year: AcademicYear
  all: readonly AssessmentCategory[]
  /** Null: the categories for every subject. */
  subject: Subject | null
  subjects: readonly Subject[]
  mayChange: boolean
}

function Group({ year, all, subject, subjects, mayChange }: GroupProps) {
  const { t } = useTranslation('years')
  const own = all.filter(({ subject_id }) => subject_id === (subject?.id ?? null))
  const name = subject?.name ?? t('category.everySubject')
  return (
    <Card title={name}>
      <Table
        label={name}
        rows={own}
        keyOf={({ id }) => id}
        rowName={null}
        columns={[
          {
            head: t('category.name'),
            cell: (category) =>
              mayChange ? (
                <DialogButton
                  look="quiet"
                  aria-label={t('category.change', { name: category.name })}
                  dialog={<CategoryDialog year={year} category={category} subjects={subjects} />}
                >
                  {category.name}
                </DialogButton>
              ) : (
                category.name
              ),
          },
          { head: t('category.type'), cell: ({ assessment_type }) => t(`category.${assessment_type}`) },
          {
            head: t('category.weight'),
            look: 'number',
            cell: ({ weight, is_extra_credit }) => (is_extra_credit ? t('category.extraOf', { weight: number(weight) }) : number(weight)),
          },
          { head: t('category.drop'), look: 'number', cell: ({ drop_lowest }) => number(drop_lowest) },
        ]}
      />
      {TYPES.map((type) => (
        <Sum
          key={type}
          type={type}
          of={all.filter(
            (category) =>
              category.assessment_type === type && (category.subject_id === null || category.subject_id === (subject?.id ?? null)),
          )}
        />
      ))}
    </Card>
  )
}

/** The sum of the weights of one type, and what is left for assessments without a category. */
function Sum({ type, of }: { type: (typeof TYPES)[number]; of: readonly AssessmentCategory[] }) {
  const { t } = useTranslation('years')
  const counting = of.filter(({ is_extra_credit }) => !is_extra_credit)
  if (counting.length === 0) return null
  const sum = Math.round(counting.reduce((total, { weight }) => total + weight, 0) * 100) / 100
  const words = { type: t(`category.${type}`), sum: number(sum), left: number(weightLeft(counting)) }
  if (sum > 100) return <Notice tone="warn">{t('category.sumOver', words)}</Notice>
  return <p>{t(sum === 100 ? 'category.sumFull' : 'category.sumLeft', words)}</p>
}

const make = (body: RequestOf<'assessmentCategories', 'create'>[0]['body']) => save('assessmentCategories', 'create', { body }, CONCERNED)
const remove = (id: string) => save('assessmentCategories', 'remove', { params: { id } }, CONCERNED)
const fieldsOf = (category: AssessmentCategory) => ({
  name: category.name,
  weight: category.weight,
  dropLowest: category.drop_lowest,
  isExtraCredit: category.is_extra_credit,
})

type DialogProps = { year: AcademicYear; category: AssessmentCategory | null; subjects: readonly Subject[] }

/** Adds a category (`category` null) or changes one, whose subject and type are fixed. */
function CategoryDialog({ year, category, subjects }: DialogProps) {
  const { t } = useTranslation(['years', 'app'])
  const form = useForm({
    initial: () => ({
      name: category?.name ?? '',
      subjectId: category?.subject_id ?? '',
      assessmentType: category?.assessment_type ?? ('coursework' as const),
      weight: editable(category?.weight ?? 20),
      dropLowest: editable(category?.drop_lowest ?? 0),
      isExtraCredit: category?.is_extra_credit ?? false,
    }),
    required: ['name'],
    isValid: ({ weight, dropLowest }) => typedNumber(weight) !== null && typedNumber(dropLowest) !== null,
    save: async ({ subjectId, assessmentType, weight, dropLowest, name, isExtraCredit }) => {
      const body = { name: name.trim(), weight: typedNumber(weight) ?? 0, dropLowest: typedNumber(dropLowest) ?? 0, isExtraCredit }
      const of = { academicYearId: year.id, subjectId: subjectId || null, assessmentType }
      const said = t('saved', { name: body.name })
      if (!category) {
        return void (await saveWithUndo({ said, run: () => make({ ...of, ...body }), back: ({ id }) => remove(id) }))
      }
      const write = (fields: Partial<typeof body>) =>
        save('assessmentCategories', 'update', { params: { id: category.id }, body: fields }, CONCERNED)
      await saveWithUndo({ said, run: () => write(body), back: backTo(fieldsOf(category), body, write) })
    },
  })
  const { draft, set, field } = form
  const fault = (name: 'weight' | 'dropLowest') =>
    field(name).error ?? (form.isChecked && typedNumber(draft[name]) === null ? t('notNumber') : undefined)
  const deletion = category && (
    <ConfirmDialog
      title={t('category.delete', { name: category.name })}
      text={t('category.deleteText')}
      onConfirm={async () => {
        let { id } = category
        await saveWithUndo({
          said: t('deleted', { name: category.name }),
          run: () => remove(id),
          back: async () => {
            const { academic_year_id: academicYearId, subject_id: subjectId, assessment_type: assessmentType } = category
            const made = await make({ academicYearId, subjectId, assessmentType, ...fieldsOf(category) })
            id = made.id
          },
        })
      }}
    />
  )
  return (
    <FormDialog title={category ? t('category.change', { name: category.name }) : t('category.new')} form={form} deletion={deletion}>
      <TextField {...field('name')} label={t('category.name')} maxLength={limits.text.categoryName} />
      <Row>
        <SelectField {...field('subjectId')} label={t('category.subject')} disabled={category !== null}>
          <option value="">{t('category.everySubject')}</option>
          <Options of={subjects} />
        </SelectField>
        <SelectField {...field('assessmentType')} label={t('category.type')} disabled={category !== null}>
          <Options of={TYPES.map((id) => ({ id, name: t(`category.${id}`) }))} />
        </SelectField>
      </Row>
      <Row>
        <TextField
          {...field('weight')}
          label={t('category.weight')}
          hint={draft.isExtraCredit ? t('category.weightHintExtra') : t('category.weightHint')}
          inputMode="decimal"
          error={fault('weight')}
        />
        <TextField
          {...field('dropLowest')}
          label={t('category.drop')}
          hint={t('category.dropHint')}
          inputMode="numeric"
          error={fault('dropLowest')}
        />
      </Row>
      <Checkbox
        label={t('category.extra')}
        checked={draft.isExtraCredit}
        onChange={({ target }) => set({ isExtraCredit: target.checked })}
      />
    </FormDialog>
  )
}
