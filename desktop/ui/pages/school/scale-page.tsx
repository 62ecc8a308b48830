import { limits } from '@markbook/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask, type ReplyOf, useSave } from '../../api/queries.ts'
import { isAdmin, useProfile } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Actions, Form, TextField } from '../../components/field.tsx'
import { Answer, FailureNotice, Notice, Page, Table } from '../../components/page.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { editable } from '../../words/format.ts'
import { type Band, draftOf, faultOf, toBody } from './scale.ts'
import styles from './school-page.module.css'

export function ScalePage() {
  const { t } = useTranslation('school')
  const scale = useQuery(ask('gradingScale', 'get'))
  return (
    <Page title={t('scaleTitle')} lead={t('scaleLead')}>
      <Answer of={scale}>{(own) => <Scale scale={own} />}</Answer>
    </Page>
  )
}

function Scale({ scale }: { scale: ReplyOf<'gradingScale', 'get'> }) {
  const { t } = useTranslation(['school', 'app'])
  const mayChange = isAdmin(useProfile())
  const { tell } = useToasts()
  const put = useSave('gradingScale', 'put', ['grades', 'reports'])
  const [passMark, setPassMark] = useState(() => editable(scale.pass_mark))
  const [bands, setBands] = useState(() => draftOf(scale))
  const fault = faultOf(bands, passMark)
  const change = (at: number, part: Partial<Band>) => setBands(bands.map((band, index) => (index === at ? { ...band, ...part } : band)))
  const add = () => setBands([...bands, { key: Math.max(...bands.map(({ key }) => key)) + 1, letter: '', minimum: '', remark: '' }])
  const save = () => {
    if (!fault) put.mutate({ body: toBody(bands, passMark) }, { onSuccess: () => tell(t('scaleSaved')) })
  }
  return (
    <Form onSend={save}>
      <FailureNotice failure={put.error} />
      <TextField
        label={t('passMark')}
        hint={t('passHint')}
        inputMode="decimal"
        disabled={!mayChange}
        value={passMark}
        onChange={({ target }) => setPassMark(target.value)}
      />
      <Table label={t('scaleTitle')}>
        <thead>
          <tr>
            <th scope="col">{t('letter')}</th>
            <th scope="col">{t('minimum')}</th>
            <th scope="col">{t('remark')}</th>
            {mayChange && (
              <th scope="col">
                <span className="hidden">{t('remove')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {bands.map((band, at) => (
            <BandRow
              key={band.key}
              band={band}
              at={at + 1}
              mayChange={mayChange}
              isOnly={bands.length === 1}
              onChange={(part) => change(at, part)}
              onRemove={() => setBands(bands.filter((_, index) => index !== at))}
            />
          ))}
        </tbody>
      </Table>
      {fault && <Notice tone="warn">{t(fault.word, { at: fault.at })}</Notice>}
      {mayChange && (
        <Actions>
          <Button onClick={add} disabled={bands.length >= limits.gradingBands}>
            {t('addBand')}
          </Button>
          <Button type="submit" look="primary" disabled={fault !== null} busy={put.isPending} busyWord={t('app:state.saving')}>
            {t('app:action.save')}
          </Button>
        </Actions>
      )}
    </Form>
  )
}

type RowProps = {
  band: Band
  at: number
  mayChange: boolean
  isOnly: boolean
  onChange: (part: Partial<Band>) => void
  onRemove: () => void
}

function BandRow({ band, at, mayChange, isOnly, onChange, onRemove }: RowProps) {
  const { t } = useTranslation('school')
  const cell = (name: 'letter' | 'minimum' | 'remark', maxLength: number) => (
    <input
      className={styles['cell']}
      aria-label={t(`${name}At`, { at })}
      value={band[name]}
      disabled={!mayChange}
      maxLength={maxLength}
      inputMode={name === 'minimum' ? 'decimal' : undefined}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  )
  return (
    <tr>
      <td>{cell('letter', limits.text.code)}</td>
      <td>{cell('minimum', 10)}</td>
      <td>{cell('remark', limits.text.title)}</td>
      {mayChange && (
        <td>
          <Button size="small" disabled={isOnly} aria-label={t('removeBand', { letter: band.letter || at })} onClick={onRemove}>
            {t('remove')}
          </Button>
        </td>
      )}
    </tr>
  )
}
