import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './chart.module.css'

type ChartProps = {
  title: string
  desc: string
  width: number
  height: number
  /** The same as a table, for whoever reads rather than looks. */
  table: ReactNode
  keys?: ReactNode
  children: (say: (words: string) => void) => ReactNode
}

/**
 * A drawing of figures: named and described, its marks reached by Tab, what the one in focus says in words below, and the same figures as
 * a table.
 */
export function Chart({ title, desc, width, height, table, keys, children }: ChartProps) {
  const { t } = useTranslation('results')
  const id = useId()
  const [said, say] = useState('')
  return (
    <figure className={styles['figure']} aria-labelledby={`${id}-title`}>
      <div className={styles['scroll']}>
        {/* biome-ignore lint/a11y/useSemanticElements: no fieldset is a drawing. */}
        <svg viewBox={`0 0 ${width} ${height}`} className={styles['chart']} role="group" aria-labelledby={`${id}-title ${id}-desc`}>
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>{desc}</desc>
          {children(say)}
        </svg>
      </div>
      <p className={styles['said']} aria-hidden="true">
        {said || t('chart.touch')}
      </p>
      {keys}
      <details>
        <summary>{t('chart.table')}</summary>
        {table}
      </details>
    </figure>
  )
}

type MarkProps = { words: string; x: number; y: number; width: number; height: number; say: (words: string) => void; children: ReactNode }

/** One mark of a drawing with what it says; `x` to `height` are the box that shows where the focus is. */
export const Mark = ({ words, say, children, ...box }: MarkProps) => (
  // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that is reached by keyboard, to have its value.
  <g className={styles['mark']} role="img" aria-label={words} tabIndex={0} onFocus={() => say(words)} onMouseEnter={() => say(words)}>
    {children}
    <rect className={styles['reach']} rx={4} {...box} />
  </g>
)
