import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin, PluginOption } from 'vite'
import type { Painted, paintAll } from './painted/paint.tsx'

const FRAME = 'sign-in.html'
const APP = 'index.html'
const PLACE = '<div id="app"></div>'
const HEAD_ENDS = '</head>'

type Bundle = Parameters<Extract<Plugin['generateBundle'], (...given: never[]) => unknown>>[1]

/**
 * Makes of `sign-in.html` a document for each language, with the sign-in page in it as markup (`painted/paint.tsx`), so that it is seen and
 * typed in before any script of the app has run (decision 350): `sign-in.fr.html`, and `sign-in.fr.back.html` for who comes back to a page.
 */
export function paintedPages(plugins: () => PluginOption[]): Plugin {
  const first = new Set<string>()
  let pages: Painted[] = []
  let script = ''
  const own = (name: string) => join(import.meta.dirname, name)
  // What begins to work by being loaded must not lie in a file with what it shares.
  const begins = [APP, 'main.tsx', FRAME, 'painted/take-over.tsx'].map(own)
  // One file of script and one of style for the sign-in page, and one more of each for the app: every file costs a slow computer time.
  const groups = [
    { name: 'first', priority: 2, test: (id: string) => first.has(id) && !begins.includes(id) },
    { name: 'app', priority: 1, test: (id: string) => !begins.includes(id), tags: ['$initial' as const] },
  ]
  return {
    name: 'painted-pages',
    apply: 'build',
    enforce: 'post',
    config: () => ({ build: { rolldownOptions: { input: [APP, FRAME].map(own), output: { codeSplitting: { groups } } } } }),
    async buildEnd(failure) {
      if (failure) return
      // Here, and not where the files are written: what was built before is served until then.
      pages = await paintedBy(plugins())
      script = await earlyScript()
      const open = [own(FRAME)]
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        if (first.has(id)) continue
        first.add(id)
        open.push(...(this.getModuleInfo(id)?.importedIds ?? []))
      }
    },
    generateBundle(_, bundle) {
      const frame = textOf(bundle, FRAME)
      const later = laterOf(bundle)
      const early = this.emitFile({ type: 'asset', name: 'early.js', source: script })
      for (const painted of pages) {
        const { language, isBack, markup } = painted
        expectStyles(markup, bundle)
        const links = [...wordsOf(bundle, language), ...later]
        const source = documentOf(frame, painted, this.getFileName(early), links)
        this.emitFile({ type: 'asset', fileName: `sign-in.${language}${isBack ? '.back' : ''}.html`, source })
      }
      delete bundle[FRAME]
    },
  }
}

function documentOf(frame: string, { language, isBack, title, markup }: Painted, early: string, links: readonly string[]): string {
  const begun = `<div id="app" data-painted${isBack ? ' data-back' : ''}>`
  const page = bareOf(markup).replace('name="email"', 'name="email" autofocus')
  return frame
    .replace('lang="en"', `lang="${language}"`)
    .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
    .replace('/theme.js', `/${early}`)
    .replace(HEAD_ENDS, () => `${links.map((link) => `  ${link}\n  `).join('')}${HEAD_ENDS}`)
    .replace(PLACE, () => `${begun}${page}</div>`)
}

/** React asks for the picture of the page before it; it comes soon enough. */
const bareOf = (markup: string) => markup.replace(/^<link [^>]*>/, '')

function textOf(bundle: Bundle, name: string): string {
  const file = bundle[name]
  if (file?.type !== 'asset') throw new Error(`${name} was not built`)
  return String(file.source)
}

/** The words that the page is taken over with, asked for with the scripts and not after them. */
const wordsOf = (bundle: Bundle, code: string) =>
  Object.values(bundle)
    .filter((file) => file.type === 'chunk')
    .filter(({ facadeModuleId }) => ['en', code].some((language) => facadeModuleId?.endsWith(`virtual:words/${language}/first`)))
    .map(({ fileName }) => `<link rel="modulepreload" crossorigin href="/${fileName}">`)

/** What the app needs beyond the sign-in page: fetched once there is nothing else to do, run when somebody has signed in. */
function laterOf(bundle: Bundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const first = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(FRAME))
  const filesOf = (name: string): string[] => {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    if (!chunk) return []
    return [name, ...(chunk.viteMetadata?.importedCss ?? []), ...chunk.imports.flatMap(filesOf)]
  }
  const now = new Set(first ? filesOf(first.fileName) : [])
  const later = new Set(first?.dynamicImports.flatMap(filesOf))
  return [...later].filter((name) => !now.has(name)).map((name) => `<link rel="prefetch" crossorigin href="/${name}">`)
}

/** Class names are made twice, here and in the app's own build: a page without its styles must not go out. */
function expectStyles(markup: string, bundle: Bundle): void {
  const styles = Object.values(bundle)
    .filter((file) => file.type === 'asset' && file.fileName.endsWith('.css'))
    .map((file) => String((file as { source: unknown }).source))
    .join('')
  const names = [...markup.matchAll(/class="([^"]+)"/g)].flatMap(([, list = '']) => list.split(' '))
  const bare = names.filter((name) => !styles.includes(`.${name}`))
  if (names.length === 0 || bare.length > 0) throw new Error(`the painted sign-in page has no styles for ${bare.join(', ') || 'anything'}`)
}

/** `painted/paint.tsx` with all that it needs, for Node. */
async function paintedBy(plugins: PluginOption[]): Promise<Painted[]> {
  const { build } = await import('vite')
  const folder = mkdtempSync(join(tmpdir(), 'markbook-painter-'))
  try {
    await build({
      configFile: false,
      root: import.meta.dirname,
      logLevel: 'warn',
      plugins,
      define: { 'location.origin': '""' },
      ssr: { noExternal: true },
      build: { ssr: join(import.meta.dirname, 'painted', 'paint.tsx'), outDir: folder, emptyOutDir: true, copyPublicDir: false },
    })
    const built = (await import(pathToFileURL(join(folder, 'paint.js')).href)) as { paintAll: typeof paintAll }
    return await built.paintAll()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `painted/early.ts` as a classic script, which runs where it stands; before it what chooses the light or the dark. */
async function earlyScript(): Promise<string> {
  const { build } = await import('vite')
  const built = await build({
    configFile: false,
    root: import.meta.dirname,
    logLevel: 'warn',
    build: {
      write: false,
      copyPublicDir: false,
      target: 'es2022',
      rolldownOptions: { input: join(import.meta.dirname, 'painted', 'early.ts'), output: { format: 'iife' } },
    },
  })
  const [script] = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []))
  if (script?.type !== 'chunk') throw new Error('the early script was not built')
  return `${readFileSync(join(import.meta.dirname, 'public', 'theme.js'), 'utf8')}\n${script.code}`
}
