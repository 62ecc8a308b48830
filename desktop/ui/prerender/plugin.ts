import { join } from 'node:path'
import i18next from 'i18next'
import type { Plugin, PluginOption } from 'vite'
import type { PrerenderedPage, prerenderSignIn } from './prerender.tsx'

const root = join(import.meta.dirname, '..')
const TEMPLATE = 'sign-in.html'
const APP = 'index.html'
const SCHOOL = ['frame/frame.tsx', 'pages/home/home-page.tsx']

type Bundle = Parameters<Extract<Plugin['generateBundle'], (...input: never[]) => unknown>>[1]

/**
 * Writes the prerendered sign-in page, so that it can be seen and typed into before the scripts have run: `sign-in.fr.html` for each
 * language, and `sign-in.fr.back.html` for a return to a page. `plugins`: those of the app's build.
 */
export function prerender(plugins: () => PluginOption[]): Plugin {
  /** The modules of the sign-in page, and those of the frame and of the first page after a sign-in. */
  const first = new Set<string>()
  const school = new Set<string>()
  let pages: PrerenderedPage[] = []
  // An entry must not be in one file with other modules: loading that file would run the entry.
  const entries = [APP, 'main.tsx', TEMPLATE, 'prerender/hydrate.tsx'].map((name) => join(root, name))
  // One script and one style sheet each for the sign-in page, for the app and for the pages of the school, since each file costs time on a
  // slow computer.
  const groups = [
    { name: 'first', priority: 3, test: (id: string) => first.has(id) && !entries.includes(id) },
    { name: 'app', priority: 2, test: (id: string) => !entries.includes(id), tags: ['$initial' as const] },
    { name: 'school', priority: 1, test: (id: string) => school.has(id) && !entries.includes(id) },
  ]
  return {
    name: 'prerender',
    apply: 'build',
    enforce: 'post',
    config: () => ({
      build: { rolldownOptions: { input: [APP, TEMPLATE].map((name) => join(root, name)), output: { codeSplitting: { groups } } } },
    }),
    async buildEnd(failure) {
      if (failure) return
      // Not in generateBundle: until that hook the server can serve the former build.
      pages = await prerendered(plugins())
      const collect = (into: Set<string>, open: string[]) => {
        for (let id = open.pop(); id !== undefined; id = open.pop()) {
          if (into.has(id)) continue
          into.add(id)
          open.push(...(this.getModuleInfo(id)?.importedIds ?? []))
        }
      }
      collect(first, [join(root, TEMPLATE)])
      collect(
        school,
        SCHOOL.map((name) => join(root, name)),
      )
    },
    generateBundle(_, bundle) {
      const template = textOf(bundle, TEMPLATE)
      for (const page of pages) {
        expectStyles(page.markup, bundle)
        const fileName = `sign-in.${page.language}${page.isBack ? '.back' : ''}.html`
        this.emitFile({ type: 'asset', fileName, source: documentOf(template, page, linksOf(bundle, page.language)) })
      }
      delete bundle[TEMPLATE]
      // Who opens the app is usually signed in: the files of the first page are loaded along with the scripts that import them.
      const app = bundle[APP]
      if (app?.type === 'asset')
        app.source = textOf(bundle, APP).replace('</head>', () => `  ${schoolLinksOf(bundle).join('\n    ')}\n  </head>`)
    },
  }
}

const documentOf = (template: string, { language, isBack, title, markup }: PrerenderedPage, links: readonly string[]): string =>
  template
    .replace('lang="en"', `lang="${language}" dir="${i18next.dir(language)}"`)
    .replace(/<title>.*<\/title>/, () => `<title>${title}</title>`)
    .replace('</head>', () => `${links.map((link) => `  ${link}\n  `).join('')}</head>`)
    .replace('<div id="app"></div>', () => `<div id="app" data-prerendered${isBack ? ' data-back' : ''}>${markup}</div>`)

function textOf(bundle: Bundle, name: string): string {
  const file = bundle[name]
  if (file?.type !== 'asset') throw new Error(`${name} was not built`)
  return String(file.source)
}

/**
 * Preloads the words for hydration with the scripts; the rest of the app is prefetched when the browser is idle, and runs after the
 * sign-in.
 */
function linksOf(bundle: Bundle, language: string): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const chunkOf = (entry: string) => chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(entry))
  const filesOf = (name: string): string[] => {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    return chunk ? [name, ...(chunk.viteMetadata?.importedCss ?? []), ...chunk.imports.flatMap(filesOf)] : []
  }
  const words = [...new Set(['en', language])].flatMap((code) => chunkOf(`virtual:words/${code}/first`)?.fileName ?? [])
  const signIn = chunkOf(TEMPLATE)
  const now = new Set(signIn ? filesOf(signIn.fileName) : [])
  const later = [...new Set(signIn?.dynamicImports.flatMap(filesOf))].filter((name) => !now.has(name))
  return [
    fontLinkOf(bundle),
    ...words.map((name) => `<link rel="modulepreload" crossorigin href="/${name}">`),
    ...later.map((name) => `<link rel="prefetch" crossorigin href="/${name}">`),
  ]
}

/** Loads the font beside the styles, so that it is there when the page is first drawn. */
function fontLinkOf(bundle: Bundle): string {
  const name = Object.keys(bundle).find((file) => /inter-latin-wght-normal.*\.woff2$/.test(file))
  if (!name) throw new Error('the font was not built')
  return `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${name}">`
}

function schoolLinksOf(bundle: Bundle): string[] {
  const school = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'school')
  if (school?.type !== 'chunk') throw new Error('the frame of a school was not built')
  return [
    fontLinkOf(bundle),
    `<link rel="modulepreload" crossorigin href="/${school.fileName}">`,
    ...[...(school.viteMetadata?.importedCss ?? [])].map((name) => `<link rel="preload" as="style" crossorigin href="/${name}">`),
  ]
}

/** Throws where the prerendered page has class names that the build does not have; it would have no styles. */
function expectStyles(markup: string, bundle: Bundle): void {
  const styles = Object.values(bundle).flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? String(file.source) : [],
  )
  const names = [...markup.matchAll(/class="([^"]+)"/g)].flatMap(([, list = '']) => list.split(' '))
  const bare = names.filter((name) => !styles.join('').includes(`.${name}`))
  if (names.length === 0 || bare.length > 0) throw new Error(`the prerendered page has no styles for ${bare.join(', ') || 'anything'}`)
}

/** Runs `prerender.tsx` in this process; returns its pages. */
async function prerendered(plugins: PluginOption[]): Promise<PrerenderedPage[]> {
  const { createServer } = await import('vite')
  const define = { 'location.origin': '""' }
  const server = await createServer({
    configFile: false,
    root,
    plugins,
    define,
    appType: 'custom',
    logLevel: 'warn',
    server: { middlewareMode: true, ws: false },
  })
  try {
    const built = (await server.ssrLoadModule('/prerender/prerender.tsx')) as { prerenderSignIn: typeof prerenderSignIn }
    return await built.prerenderSignIn()
  } finally {
    await server.close()
  }
}
