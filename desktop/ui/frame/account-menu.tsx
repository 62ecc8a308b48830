import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ask } from '../api/queries.ts'
import { useProfile } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { chooseLanguage, languages } from '../words/words.ts'
import styles from './frame.module.css'
import { useSwitchSchool } from './own-school.ts'
import { signOut } from './sign-out.ts'
import { chooseTheme, chosenTheme, type Theme, themes } from './theme.ts'

/** The own account, the appearance, the language, and the way out. */
export function AccountMenu() {
  const { t, i18n } = useTranslation('app')
  const profile = useProfile()
  const navigate = useNavigate()
  const [theme, setTheme] = useState(chosenTheme())
  const [isOpen, setOpen] = useState(false)
  const name = [profile.first_name, profile.last_name].filter(Boolean).join(' ') || profile.email
  return (
    <Menu.Root onOpenChange={setOpen}>
      <Menu.Trigger render={<Button size="small" aria-label={t('account.open', { name })} />}>{name}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" style={{ zIndex: 10 }}>
          <Menu.Popup className={styles['menu']}>
            <Menu.Item onClick={() => void navigate({ to: '/account' })}>{t('account.own')}</Menu.Item>
            {isOpen && <OwnSchools />}
            <div className={styles['menuRule']} />
            <Menu.RadioGroup
              value={theme}
              onValueChange={(value: Theme) => {
                chooseTheme(value)
                setTheme(value)
              }}
            >
              <div className={styles['menuLabel']}>{t('account.theme')}</div>
              {themes.map((value) => (
                <Menu.RadioItem key={value} value={value}>
                  {t(`account.${value}`)} <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <div className={styles['menuRule']} />
            <Menu.RadioGroup value={i18n.language} onValueChange={(value: string) => void chooseLanguage(value)}>
              <div className={styles['menuLabel']}>{t('account.language')}</div>
              {languages.map(({ code, name: own }) => (
                <Menu.RadioItem key={code} value={code} lang={code} closeOnClick>
                  {own} <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <div className={styles['menuRule']} />
            <Menu.Item onClick={() => void signOut()}>{t('account.signOut')}</Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** For those who belong to several schools: which one the pages speak of. */
function OwnSchools() {
  const { t } = useTranslation('app')
  const { school_id } = useProfile()
  const { data: places = [] } = useQuery(ask('auth', 'schools'))
  const switchTo = useSwitchSchool()
  const open = places.filter(({ is_active }) => is_active)
  if (open.length < 2) return null
  return (
    <>
      <div className={styles['menuRule']} />
      <Menu.RadioGroup value={school_id} onValueChange={(id: string) => switchTo.mutate(id)}>
        <div className={styles['menuLabel']}>{t('navigation.school')}</div>
        {open.map(({ school: { id, name } }) => (
          <Menu.RadioItem key={id} value={id} closeOnClick>
            {name} <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  )
}
