const HERE = 'http://here.invalid'

/** The page to open after a sign-in: `next` where it is a page of this app, else the first page. */
export function localPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/'
  const url = URL.canParse(next, HERE) ? new URL(next, HERE) : null
  // The URL `/.//evil.example` has the path `//evil.example`, which a browser takes for another host.
  if (url?.origin !== HERE || url.pathname.startsWith('//') || url.pathname === '/sign-in') return '/'
  return `${url.pathname}${url.search}${url.hash}`
}
