import { limits } from '@markbook/shared/limits'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TextField } from '../../components/field.tsx'
import styles from './import.module.css'

const ACCEPTED = '.xlsx,.csv,.tsv,.txt,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

type Props = {
  onChoose: (file: File | null) => void
  /** The chosen file and its number of rows, null while it is read. */
  chosen: { name: string; rows: number | null } | null
}

/**
 * Chooses a file and reads it at once, so that later changes of the file do not matter. The input is emptied after each choice, since a
 * browser does not report a second choice of the same file.
 */
export function TableFile({ onChoose, chosen }: Props) {
  const { t } = useTranslation('app')
  const [problem, setProblem] = useState<'gone' | 'large' | null>(null)
  const last = useRef(0)
  const choose = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    input.value = ''
    if (!file) return
    last.current += 1
    const turn = last.current
    const isLarge = file.size > limits.body.importBytes
    const bytes = isLarge ? null : await file.arrayBuffer().catch(() => null)
    if (turn !== last.current) return
    setProblem(isLarge ? 'large' : bytes ? null : 'gone')
    onChoose(bytes && new File([bytes], file.name, { type: file.type }))
  }
  const { name = '', rows = null } = chosen ?? {}
  const hint = chosen && (rows === null ? t('import.chosen', { name }) : t('import.chosenRows', { name, count: rows }))
  return (
    <div className={styles['file']}>
      <TextField
        label={t('import.file')}
        type="file"
        accept={ACCEPTED}
        hint={hint}
        error={problem ? t(`import.${problem}`, { mb: limits.body.importBytes / 1_048_576 }) : undefined}
        onChange={({ target }) => void choose(target)}
      />
    </div>
  )
}
