import type { ImportReport } from '@markbook/shared/contract/imports'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../../api/client.ts'
import { refresh } from '../../../api/queries.ts'
import { Button } from '../../../components/button.tsx'
import { FailureNotice, Notice } from '../../../components/page.tsx'
import { enumerated } from '../../../words/format.ts'
import { missingClasses } from './missing.ts'

type Props = { report: ImportReport; yearId: string; onMade: () => void }

/** Classes of the list that the year does not have: how many pupils wait for each, and a press that opens them. */
export function MissingClasses({ report, yearId, onMade }: Props) {
  const { t } = useTranslation('students')
  const queries = useQueryClient()
  const missing = missingClasses(report)
  const make = useMutation({
    mutationFn: async () => {
      for (const { name } of missing) await client.classes.create({ body: { name, academicYearId: yearId } })
    },
    onSuccess: onMade,
    onSettled: () => refresh(queries, ['classes', 'history']),
  })
  if (missing.length === 0) return null
  const names = enumerated(missing.map(({ name, count }) => t('missing.of', { name, count })))
  return (
    <>
      <Notice tone="warn">
        <span>{t('missing.classes', { count: missing.length, names })}</span>
        <Button size="small" busy={make.isPending} busyWord={t('missing.making')} onClick={() => make.mutate()}>
          {t('missing.make', { count: missing.length, name: missing[0]?.name })}
        </Button>
      </Notice>
      <FailureNotice failure={make.error} />
    </>
  )
}
