import { useTranslation } from 'react-i18next'
import { Row, TextField } from '../../components/field.tsx'
import { editable, number, typedNumber } from '../../words/format.ts'

export type Weights = { exam: string; coursework: string }

/** The sum of two shares as typed; null while one of them is no number. */
export function sumOf({ exam, coursework }: Weights): number | null {
  const [first, second] = [typedNumber(exam), typedNumber(coursework)]
  return first === null || second === null ? null : Math.round((first + second) * 100) / 100
}

/** The share that makes 100 with the typed one; '' where that is no share. */
const complementOf = (typed: string): string => {
  const share = typedNumber(typed)
  return share === null || share < 0 || share > 100 ? '' : editable(Math.round((100 - share) * 100) / 100)
}

type Props = { labels: Weights; value: Weights; error?: string | undefined; onChange: (value: Weights) => void }

/** Two shares with the sum 100: typing one fills in the other. */
export function WeightFields({ labels, value, error, onChange }: Props) {
  const { t } = useTranslation('years')
  const sum = sumOf(value)
  const problem = sum === null ? t('notNumber') : sum === 100 ? undefined : t('sum', { sum: number(sum) })
  return (
    <Row>
      <TextField
        label={labels.exam}
        inputMode="decimal"
        value={value.exam}
        error={error ?? problem}
        hint={sum === 100 ? t('sumOk') : undefined}
        onChange={({ target }) => onChange({ exam: target.value, coursework: complementOf(target.value) || value.coursework })}
      />
      <TextField
        label={labels.coursework}
        inputMode="decimal"
        value={value.coursework}
        onChange={({ target }) => onChange({ coursework: target.value, exam: complementOf(target.value) || value.exam })}
      />
    </Row>
  )
}
