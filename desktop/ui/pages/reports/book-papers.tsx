import type { ReportDetail, ReportPdf } from '@markbook/shared/contract/reports'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../api/client.ts'
import { ask, useSave } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Card, Empty, FailureNotice, Loading } from '../../components/page.tsx'
import { moment, number } from '../../words/format.ts'
import { fullName } from '../results/names.ts'
import { type Away, AwayBadge, AwayNotice, useAwayPapers } from './away-papers.tsx'
import { fileName } from './file-saving.ts'
import { Paper } from './paper.tsx'
import styles from './reports.module.css'

const route = getRouteApi('/school/reports/book/$reportId')

/** A book on paper: made anew on wish, shown as it will be printed, and every PDF that was ever made of it. */
export function BookPapers({ book }: { book: ReportDetail }) {
  const { t } = useTranslation(['reports', 'app'])
  const { pdf: wanted } = route.useSearch()
  const navigate = useNavigate()
  const show = (pdf: string) =>
    void navigate({ to: '/reports/book/$reportId', params: { reportId: book.id }, search: { pdf }, replace: true })
  const make = useSave('reportFiles', 'generatePdf', ['reports', 'replication'])
  const away = useAwayPapers(book.id, book.pdfs.length > 0)
  const shown = book.pdfs.find(({ id }) => id === wanted)
  const isLocked = book.status === 'sent_to_ministry'
  return (
    <Card
      title={t('paper.title')}
      actions={
        !isLocked && (
          <Button
            look="primary"
            busy={make.isPending}
            busyWord={t('app:state.makingPdf')}
            onClick={() => make.mutate({ params: { id: book.id } }, { onSuccess: ({ id }) => show(id) })}
          >
            {t('paper.make')}
          </Button>
        )
      }
    >
      <FailureNotice failure={make.error} />
      <AwayNotice pdfs={book.pdfs} away={away} />
      {shown && <ShownPdf key={shown.id} book={book} pdf={shown} />}
      {book.pdfs.length === 0 ? (
        <Empty>{t(isLocked ? 'paper.noneLocked' : 'paper.none')}</Empty>
      ) : (
        <Pdfs pdfs={book.pdfs} away={away} shown={shown?.id} onShow={show} />
      )}
    </Card>
  )
}

function ShownPdf({ book, pdf }: { book: ReportDetail; pdf: ReportPdf }) {
  const { t } = useTranslation('reports')
  const file = useQuery({
    ...ask('reportFiles', 'downloadPdf', { params: { id: book.id, pdfId: pdf.id } }),
    queryFn: () => client.reportFiles.downloadPdf({ params: { id: book.id, pdfId: pdf.id } }),
    // A stored PDF never changes; its bytes are let go of once it is no longer looked at.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  const name = fullName(book.student)
  if (file.error) return <FailureNotice failure={file.error} onRetry={() => void file.refetch()} />
  if (!file.data) return <Loading />
  return (
    <Paper
      bytes={file.data}
      title={t('paper.of', { name })}
      name={`${fileName(book.student.last_name, book.student.first_name, t('book'))}.pdf`}
    />
  )
}

type List = { pdfs: readonly ReportPdf[]; away: ReadonlyMap<string, Away>; shown: string | undefined; onShow: (id: string) => void }
function Pdfs({ pdfs, away, shown, onShow }: List) {
  const { t } = useTranslation('reports')
  return (
    <details open={!shown}>
      <summary>{t('paper.history', { count: pdfs.length })}</summary>
      <ul className={styles['finds']}>
        {pdfs.map(({ id, generated_at, file_size }) => (
          <li key={id}>
            <span>
              {moment(generated_at)} · {t('paper.size', { size: number(Math.ceil(file_size / 1024)) })} <AwayBadge place={away.get(id)} />
            </span>
            <Button
              size="small"
              disabled={away.get(id) === 'here'}
              aria-current={id === shown ? 'true' : undefined}
              onClick={() => onShow(id)}
            >
              {t('paper.show')}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}
