import { useTranslation } from 'react-i18next'
import { type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Checkbox } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card, FailureNotice } from '../../components/page.tsx'
import { saveWithUndo } from '../../components/with-undo.ts'

/** Whether an administrator must approve report books before they are published. */
export function ReportApproval({ school }: { school: ReplyOf<'schools', 'mine'> }) {
  const { t } = useTranslation('school')
  const save = useSave('schools', 'updateMine', ['reports', 'overview'])
  const mayChange = isAdmin(useProfile())
  const write = (approvesReports: boolean) => save.mutateAsync({ body: { approvesReports } })
  const change = (wanted: boolean) =>
    // The card shows a failure.
    void saveWithUndo({ said: t(wanted ? 'approval.on' : 'approval.off'), run: () => write(wanted), back: () => write(!wanted) }).catch(
      () => {},
    )
  const shown = save.isPending ? save.variables.body.approvesReports : school.approves_reports
  return (
    <Card title={t('approval.title')}>
      <FailureNotice failure={save.error} />
      <Checkbox
        label={t('approval.label')}
        checked={shown === true}
        disabled={!mayChange || save.isPending}
        onChange={({ target }) => change(target.checked)}
      />
      <p className={layout['note']}>{t('approval.hint')}</p>
    </Card>
  )
}
