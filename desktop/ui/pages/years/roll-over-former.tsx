import { useTranslation } from 'react-i18next'
import { Button } from '../../components/button.tsx'
import { DialogButton, InfoDialog } from '../../components/dialog.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { number } from '../../words/format.ts'
import { type ChoicesProps, type Former, LATER, LEAVES, NO_CLASS, type Placement, placements, targetOf } from './roll-over-plan.ts'
import styles from './years.module.css'

/** The new class of each class of last year, and the pupils of it who go elsewhere. */
export function FormerClasses(props: ChoicesProps) {
  const { former, existing, choices, onChange } = props
  const { t } = useTranslation('years')
  const all = placements(former, choices, existing)
  const rows = former.filter(({ id, pupils }) => id !== NO_CLASS || pupils.length > 0)
  const setGoes = (id: string, keys: readonly string[]) => onChange({ goes: { ...choices.goes, [id]: keys } })
  const nameOf = (one: Former) => (one.id === NO_CLASS ? t('noClassBefore') : one.name)
  return (
    <Card title={t('formerClasses')}>
      <Table
        label={t('formerClasses')}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { head: t('oldName'), cell: nameOf },
          {
            head: t('pupilCount'),
            look: 'number',
            cell: ({ pupils, placed }) => (
              <>
                {number(pupils.length)}
                {placed > 0 && <small className={layout['note']}> {t('placedAlready', { count: placed })}</small>}
              </>
            ),
          },
          {
            head: t('goesTo'),
            cell: (one) => (
              <Destinations {...props} name={nameOf(one)} keys={choices.goes[one.id] ?? []} onKeys={(keys) => setGoes(one.id, keys)} />
            ),
          },
          { head: t('exceptions'), cell: (one) => <Exceptions of={all.filter(({ from }) => from.id === one.id)} /> },
          {
            head: t('pupilsOf'),
            look: 'hidden',
            cell: (one) => (
              <DialogButton
                size="small"
                disabled={one.pupils.length === 0}
                aria-label={t('choosePupilsOf', { name: nameOf(one) })}
                dialog={<PupilsDialog {...props} from={one} name={nameOf(one)} />}
              >
                {t('choosePupils')}
              </DialogButton>
            ),
          },
        ]}
      />
    </Card>
  )
}

type DestinationOptionsProps = ChoicesProps & { formerName?: string }

/** The classes of the new year, then the choices without a class. The class named like the pupil's former one is for repeating. */
function DestinationOptions({ choices, existing, formerName }: DestinationOptionsProps) {
  const { t } = useTranslation('years')
  const targets = [...choices.targets, ...existing.map(targetOf)]
  return (
    <>
      {targets.map(({ key, name }) => (
        <option key={key} value={key}>
          {name !== '' && name === formerName ? t('repeats', { name }) : name || t('unnamed')}
        </option>
      ))}
      <option value={LEAVES}>{t('leaves')}</option>
      <option value={LATER}>{t('later')}</option>
    </>
  )
}

type DestinationsProps = ChoicesProps & { name: string; keys: readonly string[]; onKeys: (keys: readonly string[]) => void }

function Destinations({ name, keys, onKeys, ...props }: DestinationsProps) {
  const { t } = useTranslation('years')
  const shown = keys.length > 0 ? keys : [LATER]
  const isClass = (key: string) => key !== LATER && key !== LEAVES
  return (
    <div className={layout['row']}>
      {shown.map((key, at) => (
        <select
          // biome-ignore lint/suspicious/noArrayIndexKey: the second destination stays the second, whatever is chosen in it.
          key={at}
          className={layout['control']}
          aria-label={t('goesToOf', { name, number: number(at + 1) })}
          value={key}
          onChange={({ target }) => onKeys([...shown.slice(0, at), target.value, ...shown.slice(at + 1)])}
        >
          <DestinationOptions {...props} formerName={name} />
        </select>
      ))}
      {isClass(shown[shown.length - 1] ?? LATER) && (
        <Button size="small" look="quiet" aria-label={t('splitOf', { name })} onClick={() => onKeys([...shown, LATER])}>
          {t('split')}
        </Button>
      )}
      {shown.length > 1 && (
        <Button size="small" look="quiet" aria-label={t('unsplitOf', { name })} onClick={() => onKeys(shown.slice(0, -1))}>
          {t('unsplit')}
        </Button>
      )}
    </div>
  )
}

function Exceptions({ of }: { of: readonly Placement[] }) {
  const { t } = useTranslation('years')
  const exceptions = of.filter(({ isException }) => isException)
  const count = (isMeant: (one: Placement) => boolean) => exceptions.filter(isMeant).length
  const [repeat, leave, later] = [count(({ repeats }) => repeats), count(({ to }) => to === LEAVES), count(({ to }) => to === LATER)]
  const elsewhere = exceptions.length - repeat - leave - later
  if (exceptions.length === 0) return null
  return (
    <div className={layout['wrap']}>
      {repeat > 0 && <Badge>{t('doRepeat', { count: repeat })}</Badge>}
      {elsewhere > 0 && <Badge>{t('goElsewhere', { count: elsewhere })}</Badge>}
      {leave > 0 && <Badge>{t('doLeave', { count: leave })}</Badge>}
      {later > 0 && <Badge tone="warn">{t('doWait', { count: later })}</Badge>}
    </div>
  )
}

function PupilsDialog({ from, name, ...props }: ChoicesProps & { from: Former; name: string }) {
  const { t } = useTranslation('years')
  const { former, choices, existing, onChange } = props
  const rows = placements(former, choices, existing).filter((one) => one.from.id === from.id)
  return (
    <InfoDialog title={t('choosePupilsOf', { name })} lead={t('choosePupilsLead')} wide>
      <Table
        label={t('choosePupilsOf', { name })}
        rows={rows}
        keyOf={({ pupil }) => pupil.id}
        columns={[
          { head: t('pupil'), cell: ({ pupil }) => pupil.name },
          {
            head: t('goesTo'),
            cell: ({ pupil, to, isException }) => (
              <select
                className={`${layout['control']} ${isException ? styles['exception'] : ''}`}
                aria-label={t('goesToOfPupil', { name: pupil.name })}
                value={to}
                onChange={({ target }) => onChange({ pupils: { ...choices.pupils, [pupil.id]: target.value } })}
              >
                <DestinationOptions {...props} formerName={from.name} />
              </select>
            ),
          },
        ]}
      />
    </InfoDialog>
  )
}
