import { useTranslation } from 'react-i18next'
import { PrintSheet } from '../../components/print-sheet.tsx'
import { figure, moment, number } from '../../words/format.ts'
import { FIGURE_KEYS, figureTexts } from './grid-row.tsx'
import styles from './marks.module.css'
import { cellValueOf } from './model/cell-value.ts'
import type { Sheet } from './model/sheet.ts'
import { valueText } from './model/value-text.ts'

/** The sheet with all its rows, for print. */
export function PrintMarks({ sheet, title, lead }: { sheet: Sheet; title: string; lead: string }) {
  const { t } = useTranslation('marks')
  const { pupils, columns } = sheet
  const footer = sheet.getFooter()
  const markOf = (assessmentId: string, studentId: string) => {
    const mark = sheet.effectiveMark(assessmentId, studentId)
    return mark ? `${mark.is_excluded ? '⊘ ' : ''}${valueText(cellValueOf(mark))}` : ''
  }
  return (
    <PrintSheet>
      <h1>{title}</h1>
      <p>
        {lead} · {t('printed', { when: moment(new Date().toISOString()) })}
      </p>
      <table className={styles['paper']}>
        <thead>
          <tr>
            <th scope="col">{t('pupil')}</th>
            {columns.map(({ id, title: name, max_score, is_excluded }) => (
              <th key={id} scope="col">
                {is_excluded ? '⊘ ' : ''}
                {name} ({number(max_score)})
              </th>
            ))}
            {FIGURE_KEYS.map((key) => (
              <th key={key} scope="col">
                {t(key)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pupils.map(({ id, last_name, first_name }) => (
            <tr key={id}>
              <th scope="row">
                {last_name} {first_name}
              </th>
              {columns.map((column) => (
                <td key={column.id}>{markOf(column.id, id)}</td>
              ))}
              {figureTexts(sheet.figuresOf(id)).map((text, at) => (
                <td key={FIGURE_KEYS[at]}>
                  <bdi>{text}</bdi>
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">{t('average')}</th>
            {columns.map(({ id }, at) => (
              <td key={id}>{figure(footer.columns[at] ?? null)}</td>
            ))}
            <td>{figure(footer.coursework)}</td>
            <td>{figure(footer.exam)}</td>
            <td>{figure(footer.composite)}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </PrintSheet>
  )
}
