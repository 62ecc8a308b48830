import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Row, SelectField } from '../../components/field.tsx'
import { Card } from '../../components/page.tsx'
import { chooseTheme, chosenTheme, type Theme, themes } from '../../frame/theme.ts'
import { chooseLanguage, languages } from '../../words/words.ts'

/** Of this computer: how the pages look and which language they speak. */
export function Settings() {
  const { t, i18n } = useTranslation(['account', 'app'])
  const [theme, setTheme] = useState(chosenTheme())
  return (
    <Card title={t('settings.title')}>
      <Row>
        <SelectField
          label={t('app:account.theme')}
          value={theme}
          onChange={({ target }) => {
            chooseTheme(target.value as Theme)
            setTheme(target.value as Theme)
          }}
        >
          {themes.map((value) => (
            <option key={value} value={value}>
              {t(`app:account.${value}`)}
            </option>
          ))}
        </SelectField>
        <SelectField label={t('app:account.language')} value={i18n.language} onChange={({ target }) => void chooseLanguage(target.value)}>
          {languages.map(({ code, name }) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </SelectField>
      </Row>
    </Card>
  )
}
