import { spawnSync } from 'node:child_process'

/* The text of a PDF as a reader extracts it, by poppler's tools where this machine has them. */

export const hasPoppler = spawnSync('pdftotext', ['-v']).status === 0

function toText(bytes: Uint8Array, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('pdftotext', [...args, '-', '-'], { input: bytes, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(`pdftotext: ${stderr}`)
  // Poppler adds marks of direction to right-to-left text.
  return stdout.replace(/[\u202a-\u202c]/g, '')
}

/** The text of every page, words separated by one space. */
export const pagesOfPdf = (bytes: Uint8Array): string[] =>
  toText(bytes)
    .split('\f')
    .slice(0, -1)
    .map((page) => page.replace(/\s+/g, ' ').trim())

export const textOfPdf = (bytes: Uint8Array): string => pagesOfPdf(bytes).join(' ')

type Word = { page: number; text: string; left: number; right: number; top: number; bottom: number }
export type Words = { width: number; height: number; words: Word[] }

/** Every word with its position, in points from the top left. */
export function wordsOfPdf(bytes: Uint8Array): Words {
  const found: Words = { width: 0, height: 0, words: [] }
  let page = 0
  for (const line of toText(bytes, '-bbox').split('\n')) {
    const size = /<page width="([\d.]+)" height="([\d.]+)"/.exec(line)
    if (size) {
      page += 1
      Object.assign(found, { width: Number(size[1]), height: Number(size[2]) })
    }
    const box = /<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*)<\/word>/.exec(line)
    if (!box) continue
    const [left, top, right, bottom] = box.slice(1, 5).map(Number) as [number, number, number, number]
    found.words.push({ page, text: box[5] as string, left, top, right, bottom })
  }
  return found
}
