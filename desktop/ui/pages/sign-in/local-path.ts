const HERE = 'http://here.invalid'

/** The page to open after signing in. Only a page of this app is accepted; anything else becomes the first page. */
export function localPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/'
  const url = URL.canParse(next, HERE) ? new URL(next, HERE) : null
  // `/.//evil.example` has the path `//evil.example`, which a browser takes for another site.
  if (url?.origin !== HERE || url.pathname.startsWith('//') || url.pathname === '/sign-in') return '/'
  return `${url.pathname}${url.search}${url.hash}`
}
