import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import layout from '../../components/layout.module.css'
import styles from './chart.module.css'

type ChartProps = {
  title: string
  desc: string
  width: number
  height: number
  /** The same figures as a table. */
  table: ReactNode
  keys?: ReactNode
  children: (describe: (words: string) => void) => ReactNode
}

/** A chart with a name and a description. Its marks take the focus and show their words below; the figures follow as a table. */
export function Chart({ title, desc, width, height, table, keys, children }: ChartProps) {
  const { t } = useTranslation('results')
  const id = useId()
  const [description, describe] = useState('')
  return (
    <figure className={layout['stack']} aria-labelledby={`${id}-title`}>
      <div className={styles['scroll']}>
        {/* biome-ignore lint/a11y/useSemanticElements: no fieldset is a drawing. */}
        <svg viewBox={`0 0 ${width} ${height}`} className={styles['chart']} role="group" aria-labelledby={`${id}-title ${id}-desc`}>
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>{desc}</desc>
          {children(describe)}
        </svg>
      </div>
      <p className={styles['description']} aria-hidden="true">
        {description || t('chart.touch')}
      </p>
      {keys}
      <details>
        <summary>{t('chart.table')}</summary>
        {table}
      </details>
    </figure>
  )
}

type MarkProps = {
  words: string
  x: number
  y: number
  width: number
  height: number
  describe: (words: string) => void
  children: ReactNode
}

/** One mark of a chart. `words` describe it; `x` to `height` are its focus ring. */
export const Mark = ({ words, describe, children, ...box }: MarkProps) => (
  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that is reached by keyboard, to have its value.
  <g
    className={styles['mark']}
    role="img"
    aria-label={words}
    tabIndex={0}
    onFocus={() => describe(words)}
    onMouseEnter={() => describe(words)}
  >
    {children}
    <rect className={styles['reach']} rx={4} {...box} />
  </g>
)
