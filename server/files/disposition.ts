const extended = (name: string) =>
  encodeURIComponent(name.replace(/\p{Cs}/gu, '_')).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Content-Disposition: a name that no header or file system can trip over, and the full one for browsers that read it. */
export const disposition = (filename: string, inline = false): string =>
  `${inline ? 'inline' : 'attachment'}; filename="${filename.replace(/[^A-Za-z0-9._-]+/g, '_')}"; filename*=UTF-8''${extended(filename)}`
