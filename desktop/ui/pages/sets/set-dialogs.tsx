import type { ListedTeachingSet } from '@markbook/shared/contract/teaching-sets'
import { Failure } from '@markbook/shared/failures'
import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, askWhole, type ReplyOf, type ResourceName, refresh, save } from '../../api/queries.ts'
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx'
import { CheckList, Options, SelectField, TextField } from '../../components/field.tsx'
import { Empty, Loading } from '../../components/page.tsx'
import { useForm } from '../../components/use-form.ts'
import { backTo, demandEmpty, saveWithUndo } from '../../components/with-undo.ts'
import { listedName, nameOf } from '../../words/names.ts'
import { tellDeleted } from '../bin/restore.ts'
import { InvitedNotice } from '../classes/invited-notice.tsx'
import { useClassMembership } from '../classes/use-class-membership.ts'

const CONCERNED: readonly ResourceName[] = ['grades', 'classes']
const NOBODY: ReadonlySet<string> = new Set()

type SetFields = { name: string; teacherIds: string[] }
type NewSet = { academicYearId: string; subjectId: string; name: string }
const remove = (id: string) => save('teachingSets', 'remove', { params: { id } }, CONCERNED)
const setStudents = (id: string, studentIds: readonly string[]) =>
  save('teachingSets', 'setStudents', { params: { id }, body: { studentIds: [...studentIds] } }, CONCERNED)
const make = (body: NewSet, teacherIds: readonly string[]) =>
  save('teachingSets', 'create', { body: { ...body, teacherIds: [...teacherIds] } }, CONCERNED)

/** Undoes the addition of a set, unless it has pupils or assessments by now. */
async function removeEmpty({ id, subject_id: subjectId, academic_year_id: yearId }: ReplyOf<'teachingSets', 'create'>): Promise<void> {
  demandEmpty((await client.teachingSets.students({ params: { id } })).length === 0)
  for (const { id: termId } of await client.terms.list({ query: { yearId } })) {
    const listed = await client.assessments.list({ query: { termId, subjectId, teachingSetId: id } })
    demandEmpty(listed.every(({ teaching_set_id }) => teaching_set_id !== id))
  }
  await remove(id)
}

/** Adds a set (`set` null), or changes its name and teachers. */
export function SetDialog({ yearId, set }: { yearId: string; set: ListedTeachingSet | null }) {
  const { t } = useTranslation('sets')
  const subjects = useQuery(ask('subjects', 'list'))
  const staff = useQuery(ask('classes', 'schoolTeachers'))
  /** After a 404 reads the lists again: a teacher or the subject was removed since they were read. */
  const orReadAgain = async (failure: unknown): Promise<never> => {
    if (!(failure instanceof Failure) || failure.status !== 404) throw failure
    await refresh(['classes', 'subjects', 'teachingSets'])
    throw new Error(t('listsChanged'))
  }
  const form = useForm({
    initial: () => ({
      name: set?.name ?? '',
      subjectId: set?.subject_id ?? '',
      teachers: new Set(set?.teachers.map(({ id }) => id) ?? []) as ReadonlySet<string>,
    }),
    required: ['name', 'subjectId'],
    save: async ({ name: typed, subjectId, teachers: ticked }) => {
      const name = typed.trim()
      // A teacher who is not in the list any more cannot be unchecked.
      const teachers = (staff.data ?? []).flatMap(({ id }) => (ticked.has(id) ? [id] : []))
      const said = t('saved', { name })
      if (!set) {
        const run = () => make({ academicYearId: yearId, subjectId, name }, teachers).catch(orReadAgain)
        return void (await saveWithUndo({ said, run, back: removeEmpty }))
      }
      const write = (body: Partial<SetFields>) =>
        save('teachingSets', 'update', { params: { id: set.id }, body }, CONCERNED).catch(orReadAgain)
      const after: SetFields = { name, teacherIds: teachers }
      const before: SetFields = { name: set.name, teacherIds: set.teachers.map(({ id }) => id) }
      await saveWithUndo({ said, run: () => write(after), back: backTo(before, after, write) })
    },
  })
  const { draft, set: change, field } = form
  const deletion = set && (
    <ConfirmDialog
      title={t('deleteTitle', { name: set.name })}
      text={t('deleteText')}
      onConfirm={async () => {
        const again = () => remove(set.id)
        await again()
        tellDeleted(t('deleted', { name: set.name }), 'teaching_set', { id: set.id, name: set.name, again })
      }}
    />
  )
  return (
    <FormDialog title={set ? t('changeOf', { name: set.name }) : t('add')} form={form} deletion={deletion}>
      <TextField {...field('name')} label={t('name')} hint={t('nameHint')} maxLength={limits.text.teachingSetName} />
      <SelectField {...field('subjectId')} label={t('subject')} disabled={set !== null}>
        <option value="">{t('chooseSubject')}</option>
        <Options of={(subjects.data ?? []).filter(({ id, is_active }) => is_active || id === set?.subject_id)} />
      </SelectField>
      <CheckList
        label={t('teachers')}
        choices={(staff.data ?? []).map((person) => ({ id: person.id, name: nameOf(person) }))}
        chosen={draft.teachers}
        onChange={(teachers) => change({ teachers })}
      />
      <InvitedNotice />
    </FormDialog>
  )
}

/** Chooses the pupils of a set. Showing another class keeps what is checked. */
export function PupilsDialog({ set }: { set: ListedTeachingSet }) {
  const { t } = useTranslation('sets')
  const own = useQuery(askWhole('teachingSets', 'students', { params: { id: set.id } }))
  const students = useQuery(askWhole('students', 'list', { query: { isActive: 'true' } }))
  const classes = useQuery(ask('classes', 'list', { query: { academicYearId: set.academic_year_id } }))
  const membership = useClassMembership(set.academic_year_id)
  const [shown, setShown] = useState('')
  const [changed, setChanged] = useState<ReadonlySet<string> | null>(null)
  const chosen = changed ?? (own.data ? new Set(own.data.map(({ id }) => id)) : NOBODY)
  const form = useForm({
    initial: {},
    isValid: () => own.data !== undefined,
    save: async () => {
      const former = own.data?.map(({ id }) => id) ?? []
      await saveWithUndo({
        said: (now) => t('pupilsSaved', { name: set.name, count: now.length }),
        run: () => setStudents(set.id, [...chosen]),
        back: () => setStudents(set.id, former),
      })
    },
  })
  const isLoading = !own.data || !students.data || !membership
  const placed = isLoading ? [] : students.data.flatMap((student) => ({ student, group: membership.classByStudentId.get(student.id) }))
  const listed = placed
    .flatMap(({ student, group }) => (group && (shown === '' || group.id === shown) ? [{ student, group }] : []))
    .sort((a, b) => a.group.name.localeCompare(b.group.name, undefined, { numeric: true }))
  return (
    <FormDialog
      title={t('choosePupilsOf', { name: set.name })}
      lead={t('choosePupilsLead')}
      form={form}
      disabled={isLoading}
      action={t('savePupils', { count: chosen.size })}
    >
      <SelectField label={t('showClass')} value={shown} onChange={({ target }) => setShown(target.value)}>
        <option value="">{t('everyClass')}</option>
        <Options of={classes.data ?? []} />
      </SelectField>
      {isLoading && <Loading />}
      {!isLoading && listed.length === 0 && <Empty>{t('nobodyToChoose')}</Empty>}
      {listed.length > 0 && (
        <CheckList
          label={t('pupils')}
          all={t('all')}
          choices={listed.map(({ student, group }) => ({ id: student.id, name: `${listedName(student)} · ${group.name}` }))}
          chosen={chosen}
          onChange={setChanged}
        />
      )}
    </FormDialog>
  )
}
