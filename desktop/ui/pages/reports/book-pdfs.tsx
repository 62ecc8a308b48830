import type { ReportDetail, ReportPdf } from '@markbook/shared/contract/reports'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, save } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CloseButton, Dialog, DialogButton } from '../../components/dialog.tsx'
import { Actions, Checkbox, Form, InlineSelect, Options, SaveActions, SelectField } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Answer, Badge, Card, Empty, FailureNotice, Notice } from '../../components/page.tsx'
import { fileName, saveFile, useObjectUrl } from '../../components/save-file.ts'
import { moment, number } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { termLabel } from '../../words/term-label.ts'
import { languageOptions } from '../../words/words.ts'
import { type BookScope, booksRequest, scopeOf } from './book-queries.ts'
import { OutdatedNotice } from './generate-button.tsx'
import { usePrintLanguage } from './print-language.ts'
import styles from './reports.module.css'
import { useSavedTexts } from './use-autosave.tsx'

const route = getRouteApi('/school/reports/book/$reportId')

/** Makes a PDF of a report book, shows one, and lists all. */
export function BookPdfs({ book }: { book: ReportDetail }) {
  const { t } = useTranslation(['reports', 'app'])
  const { pdf: requestedId } = route.useSearch()
  const navigate = useNavigate()
  const show = (pdf: string) =>
    void navigate({ to: '/reports/book/$reportId', params: { reportId: book.id }, search: { pdf }, replace: true })
  const savedTexts = useSavedTexts()
  const language = usePrintLanguage()
  const make = useMutation({
    mutationFn: async () => {
      await savedTexts([book])
      return save('reportFiles', 'generatePdf', { params: { id: book.id }, query: language.query }, ['reports', 'replication'])
    },
    onSuccess: ({ id }) => show(id),
  })
  const pdfName = usePdfName(book)
  const missing = useMissingPdfs(book.id, book.pdfs.length > 0)
  const shown = book.pdfs.find(({ id }) => id === requestedId)
  const isLocked = book.status === 'sent_to_ministry'
  const newest = [...book.pdfs].sort((a, b) => (a.generated_at < b.generated_at ? 1 : -1))[0]
  const away = newest && missing.get(newest.id)
  const newestBefore = useRef(newest?.id)
  // A newer PDF takes the place of the newest; an older one was chosen, and stays.
  useEffect(() => {
    if (newest && newest.id !== newestBefore.current && requestedId !== undefined && requestedId === newestBefore.current) show(newest.id)
    newestBefore.current = newest?.id
  })
  return (
    <Card
      title={t('paper.title')}
      actions={
        isLocked ? (
          <DialogButton dialog={<PrintDialog of={scopeOf(book)} student={book.student} name={pdfName} />}>{t('print.one')}</DialogButton>
        ) : (
          <Button look="primary" busy={make.isPending} busyWord={t('app:state.makingPdf')} onClick={() => make.mutate()}>
            {t('paper.make')}
          </Button>
        )
      }
    >
      <FailureNotice failure={make.error} />
      {!isLocked && (
        <InlineSelect label={t('print.language')} value={language.shown} onChange={({ target }) => language.choose(target.value)}>
          <Options of={languageOptions} />
        </InlineSelect>
      )}
      {away && <Notice tone={away === 'here' ? 'warn' : 'info'}>{t(`paper.away.${away}`)}</Notice>}
      {shown && <ShownPdf key={shown.id} book={book} pdf={shown} name={pdfName} />}
      {book.pdfs.length === 0 ? (
        <Empty>{t(isLocked ? 'paper.noneLocked' : 'paper.none')}</Empty>
      ) : (
        <details open={!shown}>
          <summary>{t('paper.history', { count: book.pdfs.length })}</summary>
          <ul className={styles['finds']}>
            {book.pdfs.map(({ id, generated_at, file_size, is_draft }) => {
              const place = missing.get(id)
              return (
                <li key={id}>
                  <span>
                    {moment(generated_at)} · {t('paper.size', { size: number(Math.ceil(file_size / 1024)) })}{' '}
                    {is_draft && <Badge tone="warn">{t('paper.draft')}</Badge>}{' '}
                    {place && <Badge tone={place === 'here' ? 'warn' : 'info'}>{t(`paper.notYet.${place}`)}</Badge>}
                  </span>
                  <Button
                    size="small"
                    disabled={place === 'here'}
                    aria-current={id === shown?.id ? 'true' : undefined}
                    onClick={() => show(id)}
                  >
                    {t('paper.show')}
                  </Button>
                </li>
              )
            })}
          </ul>
        </details>
      )}
    </Card>
  )
}

function ShownPdf({ book, pdf, name }: { book: ReportDetail; pdf: ReportPdf; name: string }) {
  const { t } = useTranslation('reports')
  const file = useQuery({
    ...ask('reportFiles', 'downloadPdf', { params: { id: book.id, pdfId: pdf.id } }),
    // A stored PDF never changes. It is dropped from memory a minute after it was last shown.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  const title = t('paper.of', { name: nameOf(book.student) })
  return <Answer of={file}>{(bytes) => <PdfViewer bytes={bytes} title={title} name={name} />}</Answer>
}

/** The name of a PDF with its period, since a pupil has a report book in every term. */
function usePdfName({ student, term_id, report_type }: ReportDetail): string {
  const { t } = useTranslation('reports')
  const term = useQuery(ask('terms', 'get', { params: { id: term_id } })).data
  const year = useQuery(ask('academicYears', 'list')).data?.find(({ id }) => id === term?.academic_year_id)
  const period = report_type === 'year_end' ? t('type.yearEnd') : termLabel(term?.name ?? '')
  return `${fileName(student.last_name, student.first_name, year?.name ?? '', period, t('book'))}.pdf`
}

/** Where the file of a PDF is missing: on this server, or on its parent. */
type MissingAt = 'here' | 'school' | 'centre'

/** Where the file of each PDF is still missing, by the id of the PDF. Files are replicated after their rows. */
function useMissingPdfs(reportId: string, isAny: boolean): ReadonlyMap<string, MissingAt> {
  const parent = useQuery(ask('replication', 'status')).data?.parent
  const files = useQuery({ ...ask('replication', 'files', { query: { reportId } }), enabled: isAny, refetchInterval: 10_000 })
  return new Map(files.data?.map(({ row_id, way }) => [row_id, way === 'to_come' ? 'here' : (parent?.kind ?? 'centre')] as const))
}

/** A PDF in the browser's viewer, to print and to save; only to save where the browser has no viewer. */
function PdfViewer({ bytes, title, name }: { bytes: Uint8Array; title: string; name: string }) {
  const { t } = useTranslation(['reports', 'app'])
  const frame = useRef<HTMLIFrameElement>(null)
  const url = useObjectUrl(useMemo(() => new Blob([bytes as BlobPart], { type: 'application/pdf' }), [bytes]))
  const save = (
    <Button size="small" onClick={() => saveFile(bytes, name, 'application/pdf')}>
      {t('app:action.download')}
    </Button>
  )
  if (!url) return null
  // Chrome on Android shows no PDF in a page, and prints none.
  if (!navigator.pdfViewerEnabled)
    return (
      <div className={layout['stack']}>
        <p>{t('paper.noViewer')}</p>
        <div className={layout['row']}>{save}</div>
      </div>
    )
  return (
    <div className={layout['stack']}>
      <div className={layout['row']}>
        <Button size="small" onClick={() => frame.current?.contentWindow?.print()}>
          {t('app:action.print')}
        </Button>
        {save}
        <a href={url} target="_blank" rel="noreferrer">
          {t('paper.window')}
        </a>
      </div>
      <iframe ref={frame} src={url} title={title} className={styles['paperFrame']} />
    </div>
  )
}

type PrintProps = { of: BookScope; student?: ReportDetail['student']; name: string }

/** The report books of a class as one document to print, or with `student` one of them. */
export function PrintDialog({ of, student, name }: PrintProps) {
  const { t } = useTranslation(['reports', 'app'])
  const [isTwoSided, setTwoSided] = useState(true)
  const [paper, setPaper] = useState<'A4' | 'Letter'>('A4')
  const language = usePrintLanguage()
  const savedTexts = useSavedTexts()
  const made = useMutation({
    mutationFn: async () => {
      await savedTexts()
      return client.reportFiles.print({
        query: {
          ...booksRequest(of).query,
          ...language.query,
          paper,
          ...(student ? { studentId: student.id } : { twoSided: isTwoSided ? 'true' : 'false' }),
        },
      })
    },
  })
  const title = student ? t('paper.of', { name: nameOf(student) }) : t('print.title')
  return (
    <Dialog wide title={title} lead={made.data || student ? undefined : t('print.lead')}>
      <FailureNotice failure={made.error} />
      {made.data ? (
        <>
          <PdfViewer bytes={made.data} title={title} name={name} />
          <Actions>
            <CloseButton autoFocus>{t('app:action.close')}</CloseButton>
          </Actions>
        </>
      ) : (
        <Form onSend={() => made.mutate()}>
          {!student && <OutdatedNotice of={of} />}
          {!student && <Checkbox label={t('print.twoSided')} checked={isTwoSided} onChange={({ target }) => setTwoSided(target.checked)} />}
          <SelectField label={t('print.paper')} value={paper} onChange={({ target }) => setPaper(target.value as 'A4' | 'Letter')}>
            <option value="A4">A4</option>
            <option value="Letter">Letter</option>
          </SelectField>
          <SelectField label={t('print.language')} value={language.shown} onChange={({ target }) => language.choose(target.value)}>
            <Options of={languageOptions} />
          </SelectField>
          <SaveActions action={t('print.make')} busy={made.isPending} busyWord={t('app:state.makingPdf')} />
        </Form>
      )}
    </Dialog>
  )
}
