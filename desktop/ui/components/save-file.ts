import { useEffect, useState } from 'react'

/** Makes the browser save these bytes as a file. */
export function saveFile(bytes: Uint8Array, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // After a minute the browser has surely begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** A file name that is allowed on every system: letters of any script, digits, and a few signs. */
export const fileName = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-').replace(/^-+|-+$/g, ''))
    .filter(Boolean)
    .join('_')

/** A URL of a file while the component is mounted; null without a file. */
export function useObjectUrl(file: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!file) return setUrl(null)
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
