import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import { useTranslation } from 'react-i18next'
import { type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Options, SelectField } from '../../components/field.tsx'
import { Card, FailureNotice } from '../../components/page.tsx'
import { saveWithUndo } from '../../components/with-undo.ts'
import { languageName, languageOptions } from '../../words/words.ts'

/** The language in which report cards and broadsheets are printed. */
export function DocumentLanguageCard({ school }: { school: ReplyOf<'schools', 'mine'> }) {
  const { t } = useTranslation('school')
  const save = useSave('schools', 'updateMine')
  const mayChange = isAdmin(useProfile())
  const now = school.document_language ?? 'en'
  const write = (documentLanguage: DocumentLanguage) => save.mutateAsync({ body: { documentLanguage } })
  const change = (wanted: DocumentLanguage) =>
    // The card shows a failure.
    void saveWithUndo({
      said: t('documents.saved', { language: languageName(wanted) }),
      run: () => write(wanted),
      back: () => write(now),
    }).catch(() => {})
  const shown = (save.isPending && save.variables.body.documentLanguage) || now
  return (
    <Card title={t('documents.title')}>
      <FailureNotice failure={save.error} />
      <SelectField
        label={t('documents.label')}
        hint={t('documents.hint')}
        value={shown}
        disabled={!mayChange || save.isPending}
        onChange={({ target }) => change(target.value as DocumentLanguage)}
      >
        <Options of={languageOptions} />
      </SelectField>
    </Card>
  )
}
