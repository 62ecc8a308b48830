import { useTranslation } from 'react-i18next'
import { type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Checkbox } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Card, FailureNotice } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'

/** Whether an administrator approves report books before they are published. */
export function ReportApproval({ school }: { school: ReplyOf<'schools', 'mine'> }) {
  const { t } = useTranslation('school')
  const save = useSave('schools', 'updateMine', ['reports', 'overview'])
  const mayChange = isAdmin(useProfile())
  const change = (approvesReports: boolean) =>
    save.mutate({ body: { approvesReports } }, { onSuccess: () => tell(t(approvesReports ? 'approval.on' : 'approval.off')) })
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
