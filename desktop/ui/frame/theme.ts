import { writeStored } from '../components/browser-storage.ts'

/** The theme of the system, light, or dark; `public/early.js` reads the same value before the first paint. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]
const STORAGE_KEY = 'markbook.theme'

export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  writeStored(STORAGE_KEY, theme)
}
