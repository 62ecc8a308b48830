import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { ImportDialog, TableFile } from '../../components/import-dialog.tsx'
import { guessColumns } from '../students/import/headings.ts'
import { headOf, pupilsByRow } from '../students/import/mapping.ts'
import { useTable } from '../students/import/use-table.ts'

type Place = { classId: string; subjectId: string; termId: string }

/** The mark sheet to fill in elsewhere, and its way back. */
export function ImportMarks({ place: { classId, subjectId, termId }, onClose }: { place: Place; onClose: () => void }) {
  const { t } = useTranslation('marks')
  const queries = useQueryClient()
  const of = { studentGroupId: classId, termId, subjectId }
  const [file, setFile] = useState<File | null>(null)
  const read = useTable(file)?.table
  const toSend = useMemo(() => file && (() => file), [file])
  const spoken = useMemo(() => {
    const pupils = read && pupilsByRow(read, guessColumns(headOf(read)))
    return pupils && { pupilOf: (row: number) => pupils.get(row) ?? '', headingOf: (path: string) => path }
  }, [read])
  return (
    <ImportDialog
      title={t('importTitle')}
      lead={t('importLead')}
      table={toSend}
      spoken={spoken ?? undefined}
      send={(form, dryRun) => client.imports.grades({ query: { ...of, dryRun: dryRun ? 'true' : 'false' }, body: form })}
      onDone={() => refresh(queries, ['assessments', 'grades', 'calculations'])}
      onClose={onClose}
    >
      <p>
        <a href={`/api/grades/sheet?${new URLSearchParams(of)}`} download>
          {t('importSheet')}
        </a>
      </p>
      <TableFile onChoose={setFile} />
    </ImportDialog>
  )
}
