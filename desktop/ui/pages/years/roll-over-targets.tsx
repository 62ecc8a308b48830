import Plus from 'lucide-react/icons/plus'
import { useTranslation } from 'react-i18next'
import type { ReplyOf } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Options } from '../../components/field.tsx'
import layout from '../../components/layout.module.css'
import { Badge, Card } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { number } from '../../words/format.ts'
import { nameOf } from '../../words/names.ts'
import { type ChoicesProps, placements, sourcesOf, type Target, targetOf } from './roll-over-plan.ts'
import styles from './years.module.css'

type Outcome = ReplyOf<'academicYears', 'rollOver'>['classes'][number]
type Props = ChoicesProps & {
  sizes: ReadonlyMap<string, number>
  staff: ReplyOf<'classes', 'schoolTeachers'>
  outcomes: ReadonlyMap<string, Outcome>
}

/** The classes of the new year, new and existing ones, with the number of pupils that each will have. */
export function NewClasses({ former, existing, choices, sizes, staff, outcomes, onChange }: Props) {
  const { t } = useTranslation('years')
  const rows = [...choices.targets, ...existing.map(targetOf)]
  const all = placements(former, choices, existing)
  const countOf = (key: string) => all.filter(({ to }) => to === key).length
  const set = (key: string, change: Partial<Target>) =>
    onChange({ targets: choices.targets.map((one) => (one.key === key ? { ...one, ...change } : one)) })
  const add = () =>
    onChange({ targets: [...choices.targets, { key: `new ${crypto.randomUUID()}`, name: '', classId: null, teacherId: '' }] })
  const remove = (key: string) => {
    const goes = Object.entries(choices.goes).map(([id, keys]) => [id, keys.filter((one) => one !== key)])
    onChange({ targets: choices.targets.filter((one) => one.key !== key), goes: Object.fromEntries(goes) })
  }
  return (
    <Card
      title={t('newClasses')}
      actions={
        <Button icon={Plus} onClick={add}>
          {t('addClass')}
        </Button>
      }
    >
      <Table
        label={t('newClasses')}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          {
            head: t('newName'),
            cell: ({ key, name, classId }, at) =>
              classId ? (
                <>
                  {name} <Badge>{t('isThere')}</Badge>
                </>
              ) : (
                <input
                  className={`${layout['control']} ${styles['name']}`}
                  aria-label={t('nameOfNew', { number: number(at + 1) })}
                  value={name}
                  maxLength={200}
                  onChange={({ target }) => set(key, { name: target.value })}
                />
              ),
          },
          {
            head: t('comesFrom'),
            cell: ({ key, classId }) =>
              sourcesOf(key, former, choices)
                .map(({ name }) => name)
                .join(', ') || (classId ? '' : t('fromNone')),
          },
          {
            head: t('classTeacher'),
            cell: ({ key, name, classId, teacherId }) =>
              !classId && (
                <select
                  className={layout['control']}
                  aria-label={t('classTeacherOf', { name })}
                  value={teacherId}
                  onChange={({ target }) => set(key, { teacherId: target.value })}
                >
                  <option value="">{sourcesOf(key, former, choices).length > 0 ? t('asBefore') : t('myself')}</option>
                  <Options of={staff.map((person) => ({ id: person.id, name: nameOf(person) }))} />
                </select>
              ),
          },
          { head: t('pupilCount'), look: 'number', cell: ({ key }) => number((sizes.get(key) ?? 0) + countOf(key)) },
          { head: t('see'), look: 'hidden', cell: ({ key }) => <RollOverOutcome of={outcomes.get(key)} /> },
          {
            head: t('removeClass'),
            look: 'hidden',
            cell: ({ key, name, classId }) =>
              !classId && (
                <Button size="small" look="quiet" aria-label={t('removeClassOf', { name })} onClick={() => remove(key)}>
                  {t('removeClass')}
                </Button>
              ),
          },
        ]}
      />
    </Card>
  )
}

function RollOverOutcome({ of }: { of: Outcome | undefined }) {
  const { t } = useTranslation('years')
  if (!of) return null
  if (of.issues.length > 0) return <Badge tone="bad">{t('inTheWay', { count: of.issues.length })}</Badge>
  const brought = (['students', 'teachers', 'subjects'] as const).map((what) => t(`brings.${what}`, { count: of[what] }))
  return <Badge tone="good">{brought.join(', ')}</Badge>
}
