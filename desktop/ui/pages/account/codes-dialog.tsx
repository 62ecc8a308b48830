import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSave } from '../../api/queries.ts'
import { useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy-text.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Actions } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/page.tsx'
import { PrintSheet } from '../../components/print-sheet.tsx'
import { moment } from '../../words/format.ts'
import styles from './account.module.css'

const spaced = (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`

/** Ten codes on paper. They are shown here and never again; `left`: how many of an older set would end. */
export function CodesDialog({ left, onClose }: { left: number; onClose: () => void }) {
  const { t } = useTranslation(['account', 'app'])
  const make = useSave('outage', 'newRecoveryCodes')
  const codes = make.data?.codes
  const lead = codes ? t('codes.keep') : left > 0 ? t('codes.ends', { count: left }) : t('codes.once')
  return (
    <Dialog open title={t(codes ? 'codes.shown' : 'codes.dialog')} lead={lead} onClose={onClose}>
      {codes ? (
        <Shown codes={codes} onClose={onClose} />
      ) : (
        <>
          <FailureNotice failure={make.error} />
          <Actions>
            <Button onClick={onClose}>{t('app:action.cancel')}</Button>
            <Button look={left > 0 ? 'danger' : 'primary'} busy={make.isPending} onClick={() => make.mutate(undefined)}>
              {t('codes.make')}
            </Button>
          </Actions>
        </>
      )}
    </Dialog>
  )
}

function Shown({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation(['account', 'app'])
  const [copied, setCopied] = useState<boolean | null>(null)
  const copy = async () => setCopied(await copyText(codes.map(spaced).join('\n')))
  return (
    <>
      <ol className={styles['codes']} aria-label={t('codes.title')}>
        {codes.map((code) => (
          <li key={code}>{spaced(code)}</li>
        ))}
      </ol>
      {copied !== null && <Notice tone={copied ? 'good' : 'warn'}>{t(copied ? 'codes.copied' : 'codes.notCopied')}</Notice>}
      <Actions>
        <Button onClick={() => void copy()}>{t('codes.copy')}</Button>
        <Button onClick={() => window.print()}>{t('app:action.print')}</Button>
        <Button look="primary" onClick={onClose}>
          {t('codes.done')}
        </Button>
      </Actions>
      <Paper codes={codes} />
    </>
  )
}

function Paper({ codes }: { codes: readonly string[] }) {
  const { t } = useTranslation(['account', 'app'])
  const { email } = useProfile()
  return (
    <PrintSheet>
      <h1>{t('codes.paper', { name: t('app:name') })}</h1>
      <p>{t('codes.paperFor', { email, when: moment(new Date().toISOString()) })}</p>
      <ol>
        {codes.map((code) => (
          <li key={code}>{spaced(code)}</li>
        ))}
      </ol>
      <p>{t('codes.paperHow')}</p>
    </PrintSheet>
  )
}
