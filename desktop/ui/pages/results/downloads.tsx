import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { Button } from '../../components/button.tsx'
import { FailureNotice } from '../../components/page.tsx'
import { fileName, saveFile } from '../reports/file-saving.ts'
import styles from './results.module.css'

const types = {
  pdf: 'application/pdf',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv',
} as const
type FileType = keyof typeof types

type Props = { classId: string; termId: string; reportType: 'term' | 'year_end'; name: readonly string[] }

/** The broadsheet of the class as a file, made from the marks of now; and this page on paper. */
export function Downloads({ classId, termId, reportType, name }: Props) {
  const { t } = useTranslation(['results', 'app'])
  const make = useMutation({
    mutationFn: async (fileType: FileType) => {
      const of = { studentGroupId: classId, termId, reportType, fileType }
      await client.reportFiles.generateClassFile({ body: of })
      return client.reportFiles.downloadClassFile({ query: of })
    },
    onSuccess: (bytes, fileType) => saveFile(bytes, `${fileName(...name, t('download.name'))}.${fileType}`, types[fileType]),
  })
  return (
    <>
      <div className={styles['toolbar']}>
        <span>{t('download.label')}</span>
        {(Object.keys(types) as FileType[]).map((type) => (
          <Button
            key={type}
            size="small"
            aria-label={t('download.as', { type: t(`download.${type}`) })}
            busy={make.isPending && make.variables === type}
            {...(type === 'pdf' && { busyWord: t('app:state.makingPdf') })}
            onClick={() => make.mutate(type)}
          >
            {t(`download.${type}`)}
          </Button>
        ))}
        <Button size="small" onClick={() => window.print()}>
          {t('download.page')}
        </Button>
      </div>
      <FailureNotice failure={make.error} />
    </>
  )
}
