import { useTranslation } from 'react-i18next'
import { type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Options, SelectField } from '../../components/field.tsx'
import { Card, FailureNotice } from '../../components/page.tsx'
import { saveWithUndo } from '../../components/with-undo.ts'

const readers = ['class_teachers', 'all_staff'] as const
type Readers = (typeof readers)[number]

/** The choice of who sees the birth dates and genders of pupils. */
export function PersonalData({ school }: { school: ReplyOf<'schools', 'mine'> }) {
  const { t } = useTranslation('school')
  const save = useSave('schools', 'updateMine', ['students', 'classes'])
  const mayChange = isAdmin(useProfile())
  const now = school.personal_data_for ?? 'class_teachers'
  const write = (personalDataFor: Readers) => save.mutateAsync({ body: { personalDataFor } })
  const change = (wanted: Readers) =>
    // The card shows a failure.
    void saveWithUndo({ said: t(`personal.now.${wanted}`), run: () => write(wanted), back: () => write(now) }).catch(() => {})
  const shown = (save.isPending && save.variables.body.personalDataFor) || now
  return (
    <Card title={t('personal.title')}>
      <FailureNotice failure={save.error} />
      <SelectField
        label={t('personal.label')}
        hint={t('personal.hint')}
        value={shown}
        disabled={!mayChange || save.isPending}
        onChange={({ target }) => change(target.value as Readers)}
      >
        <Options of={readers.map((id) => ({ id, name: t(`personal.${id}`) }))} />
      </SelectField>
    </Card>
  )
}
