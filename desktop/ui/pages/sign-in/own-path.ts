const HERE = 'http://here.invalid'

/** Where to go after signing in: a page of this app, whatever the address bar was made to say; else the first page. */
export function ownPath(next: string | undefined): string {
  if (!next?.startsWith('/')) return '/'
  const url = URL.canParse(next, HERE) ? new URL(next, HERE) : null
  if (url?.origin !== HERE || url.pathname === '/sign-in') return '/'
  return `${url.pathname}${url.search}${url.hash}`
}
