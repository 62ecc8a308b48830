import { useTranslation } from 'react-i18next'
import { signs } from './cell-signs.ts'
import styles from './marks.module.css'
import { placeOf } from './place-of.ts'
import { useAbove } from './use-sheet.ts'

const keys = [
  ['Enter', 'kEnter'],
  ['Tab', 'kTab'],
  ['F2', 'kF2'],
  ['Esc', 'kEsc'],
  ['Ctrl+Z', 'kUndo'],
  ['Ctrl+C, Ctrl+V', 'kCopy'],
  ['Alt+R', 'kRemark'],
  ['Alt+X', 'kExclude'],
  ['Alt+H', 'kHistory'],
  ['Shift+F10', 'kMenu'],
] as const

/** What the signs of the grid mean, and its keys. */
export function Legend() {
  const { t } = useTranslation('marks')
  const waits = placeOf({ is_waiting: true, is_above: false }, useAbove())
  const meanings = [
    ['–', t('legend.none')],
    [signs.unsaved, t('legend.waiting')],
    ...(waits === 'saved' ? [] : [[signs.waiting, t(`state.${waits}`)] as const]),
    [signs.excluded, t('legend.excluded')],
    [signs.reviewed, t('legend.reviewed')],
    [signs.conflict, t('legend.conflict')],
    [signs.wrong, t('legend.wrong')],
    ['◥', t('legend.remark')],
    ['†', t('legend.partial')],
  ] as const
  return (
    <details className={styles['more']}>
      <summary>{t('legend.title')}</summary>
      <div className={styles['legend']}>
        <section aria-label={t('legend.signs')}>
          <dl>
            {meanings.map(([sign, meaning]) => (
              <div key={sign} style={{ display: 'contents' }}>
                <dt>{sign}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section aria-label={t('legend.keys')}>
          <dl>
            {keys.map(([key, word]) => (
              <div key={key} style={{ display: 'contents' }}>
                <dt className={styles['kbd']}>{key}</dt>
                <dd>{t(`legend.${word}`)}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </details>
  )
}
