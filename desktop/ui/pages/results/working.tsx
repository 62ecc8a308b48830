import type { Explanation, StudentYear } from '@markbook/shared/contract/calculations'
import { codeNamed, standardMarkCodes } from '@markbook/shared/domain/mark-codes'
import { type ResultRules, type TriedMark, whatIf, whatIfYear } from '@markbook/shared/domain/what-if'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Notice } from '../../components/page.tsx'
import { figure } from '../../words/format.ts'
import { cellValueOf, markOf } from '../marks/model/cell-value.ts'
import { type ParsedMark, parseMark } from '../marks/model/parse-mark.ts'
import { Steps } from './explain-steps.tsx'
import { TriedMarks, type TriedText } from './tried-marks.tsx'
import styles from './working.module.css'

type Props = {
  present: Explanation
  yearId: string
  /** False where the results of the other subjects are unknown. */
  hasOverall?: boolean
  /** The assessment whose history is open at first. */
  opened?: string | undefined
}

/** The result, its marks, which can be tried with other values, and the calculation. Writes nothing. */
export function Working(props: Props) {
  const query = { query: { academicYearId: props.yearId } }
  const scale = useQuery(ask('gradingScale', 'get', query))
  const categories = useQuery(ask('assessmentCategories', 'list', query))
  const school = useQuery(ask('schools', 'mine'))
  return (
    <Answer of={scale}>
      {({ pass_mark: passMark, bands }) => (
        <Answer of={categories}>
          {(known) => (
            <Answer of={school}>
              {(mine) => (
                <TriedWorking
                  {...props}
                  rules={{ scale: { passMark, bands }, categories: known, codes: mine.mark_codes ?? standardMarkCodes }}
                />
              )}
            </Answer>
          )}
        </Answer>
      )}
    </Answer>
  )
}

function TriedWorking({ present, rules, yearId, hasOverall = true, opened }: Props & { rules: ResultRules }) {
  const { t } = useTranslation('results')
  const [texts, setTexts] = useState<ReadonlyMap<string, TriedText>>(new Map())
  const tried = triedMarks(present, rules, texts)
  const shown = whatIf(present, rules, tried)
  const change = (id: string, text: TriedText) => setTexts(new Map([...texts, [id, { ...texts.get(id), ...text }]]))
  const isTried = tried.size > 0
  const isAwaited = shown.marks.some(({ status }) => codeNamed(rules.codes, status ?? null)?.effect === 'under_review')
  return (
    <>
      {shown.result.under_review && <Notice tone="warn">{t(isAwaited ? 'explain.awaited' : 'explain.review')}</Notice>}
      <Outcome present={present} shown={shown} rules={rules} yearId={yearId} hasOverall={hasOverall} />
      <section className={layout['stack']} aria-label={t('explain.marks')}>
        <div className={layout['split']}>
          <h3>{t('explain.marks')}</h3>
          {texts.size > 0 && (
            <Button size="small" onClick={() => setTexts(new Map())}>
              {t('tried.back')}
            </Button>
          )}
        </div>
        <p className={layout['note']}>{t(isTried ? 'tried.isTried' : 'tried.lead')}</p>
        <TriedMarks marks={shown.marks} present={present.marks} texts={texts} codes={rules.codes} opened={opened} onChange={change} />
      </section>
      <section className={layout['stack']} aria-label={t('tried.steps')}>
        <h3>{t('tried.steps')}</h3>
        <Steps steps={shown.steps.filter(({ step }) => hasOverall || step !== 'overall_average')} />
      </section>
    </>
  )
}

/** The typed marks to try, by assessment. Invalid texts, and texts equal to the present mark, change nothing. */
function triedMarks(present: Explanation, { codes }: ResultRules, texts: ReadonlyMap<string, TriedText>): Map<string, TriedMark> {
  const tried = new Map<string, TriedMark>()
  for (const mark of present.marks) {
    const typed = texts.get(mark.assessment_id)
    if (!typed) continue
    const stored = cellValueOf(mark)
    const parsed = typed.text === undefined ? null : parseMark(typed.text, mark.max_score, codes, stored)
    const entered = parsed && enteredOf(parsed, mark.score !== null || mark.status !== undefined)
    const isOther = entered !== undefined && entered !== null && cellValueOf(markOf(typedValue(parsed))) !== stored
    const isExcluded = typed.isExcluded === undefined || typed.isExcluded === (mark.is_excluded === true) ? undefined : typed.isExcluded
    if (isOther || isExcluded !== undefined)
      tried.set(mark.assessment_id, {
        ...(isOther && { mark: entered.mark }),
        ...(isExcluded !== undefined && { is_excluded: isExcluded }),
      })
  }
  return tried
}

const typedValue = (parsed: ParsedMark | null) => (parsed?.kind === 'mark' ? parsed.score : null)

/** The typed mark; `mark` null deletes one. Undefined where it cannot be entered. */
function enteredOf(parsed: ParsedMark, isMarked: boolean): { mark: Exclude<TriedMark['mark'], undefined> } | undefined {
  if (parsed.kind === 'wrong') return undefined
  if (parsed.kind === 'empty') return isMarked ? { mark: null } : undefined
  const { score, status } = markOf(parsed.score)
  return { mark: { ...(score !== null && { score }), ...(status !== null && { status }) } }
}

type OutcomeProps = { present: Explanation; shown: Explanation; rules: ResultRules; yearId: string; hasOverall: boolean }
type OutcomeFigure = { word: string; now: number | null; tried: number | null; letter?: string | null }

/** The figures that follow, as they are and as they would be. */
function Outcome({ present, shown, rules, yearId, hasOverall }: OutcomeProps) {
  const { t } = useTranslation('results')
  const year = useYear(present.student_id, yearId)
  const yearOf = ({ result }: Explanation) => year && whatIfYear(year.present, year.rules, rules.scale, present.term_id, result)
  const [yearNow, yearThen] = [yearOf(present), yearOf(shown)]
  const [now, tried] = [present.result, shown.result]
  const figures: OutcomeFigure[] = [
    { word: t('explain.coursework_average'), now: now.coursework_average, tried: tried.coursework_average },
    { word: t('explain.exam_average'), now: now.exam_average, tried: tried.exam_average },
    { word: t('explain.term_composite'), now: now.term_composite, tried: tried.term_composite, letter: tried.letter_grade },
    ...(hasOverall ? [{ word: t('overall'), now: overallOf(present), tried: overallOf(shown) }] : []),
    ...(yearNow && yearThen
      ? [
          { word: t('year.grade'), now: yearNow.year_grade, tried: yearThen.year_grade, letter: yearThen.letter_grade },
          { word: t('year.overall'), now: yearNow.year_overall, tried: yearThen.year_overall },
        ]
      : []),
  ]
  const changed = figures.filter((one) => one.now !== one.tried)
  return (
    <>
      <dl className={styles['outcome']} aria-label={t('tried.outcome')}>
        {figures.map(({ word, now: is, tried: would, letter }) => (
          <div key={word} data-changed={is !== would}>
            <dt className={layout['note']}>{word}</dt>
            <dd>
              <strong>{figure(would)}</strong> {letter && <bdi>{letter}</bdi>}
              {is !== would && <span className={layout['note']}>{t('tried.now', { figure: figure(is) })}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="hidden" role="status">
        {changed.map(({ word, tried: would }) => t('tried.would', { word, figure: figure(would) })).join(' ')}
      </p>
    </>
  )
}

function overallOf({ steps }: Explanation): number | null {
  const step = steps.find((one) => one.step === 'overall_average')
  return step?.step === 'overall_average' ? step.printed : null
}

/** The pupil's year and its rules; undefined while they are loading, or where this person may not read them. */
function useYear(studentId: string, academicYearId: string) {
  const year = useQuery(ask('academicYears', 'get', { params: { id: academicYearId } }))
  const present = useQuery(ask('calculations', 'studentYear', { query: { studentId, academicYearId } }))
  return year.data && present.data ? { rules: year.data, present: present.data as StudentYear } : undefined
}
