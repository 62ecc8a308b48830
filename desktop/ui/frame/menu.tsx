import { Menu as Base } from '@base-ui/react/menu'
import Check from 'lucide-react/icons/check'
import type { ComponentProps, ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { Icon, type IconShape } from '../components/icon.tsx'
import layout from '../components/layout.module.css'
import styles from './frame.module.css'

type MenuProps = {
  /** The properties of the button that opens the menu. */
  button: ComponentProps<typeof Button>
  onOpenChange?: (isOpen: boolean) => void
  children: ReactNode
}

/** A button with a menu below it. */
export const Menu = ({ button, onOpenChange, children }: MenuProps) => (
  <Base.Root {...(onOpenChange && { onOpenChange })}>
    <Base.Trigger render={<Button size="small" {...button} />} />
    <Base.Portal>
      <Base.Positioner sideOffset={6} align="end" className={styles['menuOver']}>
        <Base.Popup className={`${layout['box']} ${styles['menu']}`}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

type ItemProps = { icon?: IconShape; onChoose: () => void; children: ReactNode }

export const MenuItem = ({ icon, onChoose, children }: ItemProps) => (
  <Base.Item onClick={onChoose}>
    <span className={styles['menuWords']}>
      {icon && <Icon of={icon} />}
      {children}
    </span>
  </Base.Item>
)

export const MenuRule = () => <div className={styles['menuRule']} />

type MenuChoiceProps<Id> = {
  label: string
  value: string | null
  choices: readonly { id: Id; name: string; lang?: string }[]
  /** Whether choosing closes the menu; false by default. */
  closes?: boolean
  onChoose: (id: Id) => void
}

/** A choice of one of several, below a line. */
export function MenuChoice<Id extends string>({ label, value, choices, closes = false, onChoose }: MenuChoiceProps<Id>) {
  return (
    <>
      <MenuRule />
      <Base.RadioGroup value={value} onValueChange={onChoose}>
        <div className={`${layout['note']} ${styles['menuLabel']}`}>{label}</div>
        {choices.map(({ id, name, lang }) => (
          <Base.RadioItem key={id} value={id} lang={lang} closeOnClick={closes}>
            {name}{' '}
            <Base.RadioItemIndicator>
              <Icon of={Check} />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </>
  )
}
