/** Texts of the program itself, for when the server shows no page. */
const en = {
  noBrowser: 'Markbook shows its window with Microsoft Edge, Google Chrome or Chromium, and none of them is installed on this computer.',
  installOnLinux: 'Install one of them, for example: sudo apt install chromium',
  installElsewhere: 'Install Google Chrome or Microsoft Edge, then start Markbook again.',
  cannotStart: 'Markbook cannot start. Nothing that was saved is lost.',
  itSaid: 'It said:',
  more: 'More stands in',
  cannotOpen: 'The window of Markbook cannot be opened.',
} as const
export type Words = Record<keyof typeof en, string>

const fr: Words = {
  noBrowser:
    'Markbook affiche sa fenêtre avec Microsoft Edge, Google Chrome ou Chromium, et aucun d’eux n’est installé sur cet ordinateur.',
  installOnLinux: 'Installez l’un d’eux, par exemple : sudo apt install chromium',
  installElsewhere: 'Installez Google Chrome ou Microsoft Edge, puis relancez Markbook.',
  cannotStart: 'Markbook ne peut pas démarrer. Rien de ce qui a été enregistré n’est perdu.',
  itSaid: 'Message :',
  more: 'Plus de détails dans',
  cannotOpen: 'La fenêtre de Markbook ne peut pas être ouverte.',
}

export const wordsFor = (locale: string): Words => (locale.toLowerCase().startsWith('fr') ? fr : en)

export const noBrowser = (words: Words, platform: NodeJS.Platform): string =>
  `${words.noBrowser}\n${platform === 'linux' ? words.installOnLinux : words.installElsewhere}`

/** `message`: the last one of the server, may be empty; `log`: the path of its log. */
export const cannotStart = (words: Words, message: string, log: string): string =>
  [words.cannotStart, message && `${words.itSaid} ${message}`, `${words.more} ${log}`].filter(Boolean).join('\n')

const escaped = (text: string) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)

/** A page for the window while no server runs. */
export const problemPage = (message: string, locale: string): string => `<!doctype html>
<html lang="${locale.toLowerCase().startsWith('fr') ? 'fr' : 'en'}"><head><meta charset="utf-8"><title>Markbook</title>
<style>:root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1.5rem}</style></head>
<body><main><h1>Markbook</h1>${message
  .split('\n')
  .map((line) => `<p>${escaped(line)}</p>`)
  .join('')}</main></body></html>
`
