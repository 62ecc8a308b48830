import type { ImportReport, PastImport } from '@markbook/shared/contract/imports'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isUnknown } from '../../api/create-once.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form, SaveActions } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { FailureNotice, Notice, Progress } from '../../components/page.tsx'
import { type Corrections, isUntouched, untouched, withColumn, withoutColumn, withoutRows, withRows, withText } from './corrections.ts'
import { useCounts } from './counts.ts'
import { EarlierImports } from './earlier-imports.tsx'
import { ReportTable } from './faults.tsx'
import { Imported } from './imported.tsx'
import { faultyRows, listedRows, rowsAwaitingClasses, type Source } from './listing.ts'

type Report = ImportReport
export type Needs = 'table' | 'headings' | 'firstRow' | 'columns' | 'days'
type Props = {
  title: string
  lead: ReactNode
  /** The choice of the table: a template to download, and a file to choose. */
  children: ReactNode
  /** The table to send; null while there is none. Another source needs a new report; corrections stay while its table is the same. */
  source: Source | null
  /** What the person must do before there is one. */
  needs: Needs | null
  /** Shown beside the report: a way to correct what it found. `again` checks the table once more. */
  remedy?: ((report: Report, again: () => void) => ReactNode) | undefined
  onDone: () => Promise<unknown>
  /** Whether an earlier import is of this kind and place. */
  isEarlier: (past: PastImport) => boolean
}

type Sent = { source: Source; corrections: Corrections; dryRun: boolean }
type Answered = Sent & { report: Report }

/** The corrections of the table, and the server's report about the corrected table. */
function useImport({ source, onDone }: Pick<Props, 'source' | 'onDone'>) {
  const [kept, setKept] = useState<{ table: Source['table']; corrections: Corrections } | null>(null)
  const [answered, setAnswered] = useState<Answered | null>(null)
  const corrections = source && kept?.table === source.table ? kept.corrections : untouched
  const turn = useRef(0)
  const sending = useMutation({
    mutationFn: async ({ source: of, corrections: with_, dryRun }: Sent) => {
      turn.current += 1
      const own = turn.current
      const form = new FormData()
      form.append('file', of.fileWith(with_))
      const report = await of.send(form, dryRun)
      // Only the reply to the last request counts: the table was corrected since.
      if (own === turn.current || !dryRun) setAnswered({ source: of, corrections: with_, dryRun, report })
      if (!dryRun && report.errors === 0) await onDone()
    },
  })
  const run = (dryRun: boolean, with_ = corrections) => source && sending.mutate({ source, corrections: with_, dryRun })
  const correct = (change: (before: Corrections) => Corrections) => {
    if (!source) return
    const after = change(corrections)
    setKept({ table: source.table, corrections: after })
    run(true, after)
  }
  const last = answered?.source === source ? answered : null
  return {
    corrections,
    report: last?.report ?? null,
    /** Whether the report is about the table with its present corrections. */
    isCurrent: last?.corrections === corrections,
    isWritten: last?.dryRun === false && last.report.errors === 0,
    isBusy: sending.isPending,
    isChecking: sending.variables?.dryRun !== false,
    failure: sending.variables?.source === source ? sending.error : null,
    run,
    correct,
  }
}

/** Imports a table: first a dry run, which reports each row, then one write with all rows that are not left out. */
export function ImportDialog({ title, lead, children, source, needs, remedy, onDone, isEarlier }: Props) {
  const { t } = useTranslation('app')
  const form = useRef<HTMLDivElement>(null)
  const state = useImport({ source, onDone })
  const { corrections, report, isCurrent, isWritten, isBusy, isChecking, failure, run } = state
  const writes = report?.errors === 0 && isCurrent ? report.created + report.updated : 0
  const unsaved = {
    has: !isWritten && !isUntouched(corrections),
    title: t('import.leave'),
    text: t('import.leaveText'),
    action: t('import.leaveAction'),
  }
  useEffect(() => {
    if (failure) form.current?.querySelector('button[type="submit"]')?.scrollIntoView({ block: 'nearest' })
  }, [failure])
  const rows = source?.table ? source.table.lines.length - 1 - corrections.rows.size : null
  return (
    <Dialog wide title={title} lead={isWritten ? undefined : lead} unsaved={unsaved}>
      {isWritten && source && report ? (
        <Imported source={source} corrections={corrections} report={report} onDone={onDone} />
      ) : (
        <div ref={form}>
          <Form onSend={() => run(writes === 0)}>
            {!source && <EarlierImports isEarlier={isEarlier} onDone={onDone} />}
            {children}
            {source && report && (
              <Outcome {...state} source={source} report={report} remedy={remedy?.(report, () => run(true))} form={form} />
            )}
            <FailureNotice failure={failure} />
            {failure && !isChecking && isUnknown(failure) && <Notice tone="warn">{t('import.unsure')}</Notice>}
            {isBusy && (
              <Progress
                label={isChecking ? t('import.checking', { count: rows ?? 0 }) : t('import.writingRows', { count: writes })}
                done={0}
                total={0}
              />
            )}
            <SaveActions
              action={writes > 0 ? t('import.write', { count: writes }) : t('import.look')}
              disabled={!source}
              needs={needs ? t(`import.needs.${needs}`) : undefined}
              busy={isBusy}
              busyWord={t(isChecking ? 'import.looking' : 'import.writing')}
            />
          </Form>
        </div>
      )}
    </Dialog>
  )
}

type OutcomeProps = Pick<ReturnType<typeof useImport>, 'corrections' | 'correct' | 'isCurrent'> & {
  source: Source
  report: Report
  remedy: ReactNode
  form: RefObject<HTMLDivElement | null>
}

function Outcome({ source, report, corrections, correct, isCurrent, remedy, form }: OutcomeProps) {
  const { t } = useTranslation('app')
  const countsOf = useCounts()
  const top = useRef<HTMLDivElement>(null)
  const isFirst = isUntouched(corrections)
  // The report is below the fields of the form, and is scrolled into view. After a correction the page does not scroll.
  useEffect(() => {
    if (report && isFirst) top.current?.scrollIntoView({ block: report.errors > 0 ? 'start' : 'nearest' })
  }, [report, isFirst])
  useEffect(() => {
    // Enter has corrected the last faulty cell, so that no cell has the focus.
    const isNowhere = document.activeElement === document.body || document.activeElement?.getAttribute('role') === 'dialog'
    if (report && isCurrent && !isFirst && isNowhere)
      form.current?.querySelector<HTMLElement>('input[aria-invalid="true"], button[type="submit"]')?.focus()
  }, [report, isCurrent, isFirst, form])
  const faulty = faultyRows(report)
  const { errors: refused, created, updated } = report
  const awaitsClass = rowsAwaitingClasses(report)
  const errors = refused - awaitsClass
  const listed = useMemo(() => listedRows(report, corrections, source), [report, corrections, source])
  return (
    <>
      <div ref={top} className={layout['stack']}>
        {remedy}
        <Notice tone={errors > 0 ? 'bad' : awaitsClass > 0 ? 'info' : 'good'}>
          <span>
            {countsOf({ ...report, errors, awaitsClass })}{' '}
            {corrections.rows.size > 0 && t('import.leftOutCount', { count: corrections.rows.size })}{' '}
            {errors > 0 && t(source.table ? 'import.fix' : 'import.fixElsewhere')}
            {refused + created + updated === 0 && t('import.nothing')}
          </span>
          {[...corrections.columns].map((column) => (
            <Button key={column} size="small" onClick={() => correct((before) => withColumn(before, column))}>
              {t('import.takeColumn', { column: source.headingAt(column) })}
            </Button>
          ))}
          {source.table && faulty.length > 0 && (
            <Button size="small" onClick={() => correct((before) => withoutRows(before, faulty))}>
              {t('import.leaveOutAll', { count: faulty.length })}
            </Button>
          )}
        </Notice>
      </div>
      {listed.length > 0 && (
        <ReportTable
          source={source}
          rows={listed}
          onText={(edit) => correct((before) => withText(before, edit))}
          onLeaveOut={(row) => correct((before) => withoutRows(before, [row]))}
          onTakeAgain={(row) => correct((before) => withRows(before, new Set([row])))}
          onLeaveColumn={(column) => correct((before) => withoutColumn(before, column))}
        />
      )}
    </>
  )
}
