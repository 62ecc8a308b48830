import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { csvLines } from '../../documents/csv.ts'
import type { Manifest } from './manifest.ts'

/** Lines of a CSV that are put together before they are written. */
const AT_ONCE = 500

/** The files of an export while they are written into a folder, each piece by piece, and what the manifest says of them. */
export class PartsFolder {
  readonly written: Manifest['parts'] = []

  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  /** Begins a CSV; `end` is to be called. */
  table(path: string, head: readonly string[]): { add(cells: readonly Cell[]): void; end(): void } {
    const file = this.#begin(path)
    let lines: (readonly Cell[])[] = [head]
    let isFirst = true
    const flush = () => {
      file.write(csvLines(lines, { isFirst }))
      isFirst = false
      lines = []
    }
    return {
      add: (cells) => {
        if (lines.push(cells) >= AT_ONCE) flush()
      },
      end: () => {
        if (lines.length > 0) flush()
        file.end()
      },
    }
  }

  async file(path: string, body: Readable): Promise<void> {
    const file = this.#begin(path)
    for await (const piece of body) file.write(piece as Uint8Array)
    file.end()
  }

  text(path: string, text: string): void {
    const file = this.#begin(path)
    file.write(Buffer.from(text))
    file.end()
  }

  #begin(path: string) {
    const place = join(this.folder, path)
    mkdirSync(dirname(place), { recursive: true })
    const file = openSync(place, 'wx', 0o600)
    const hash = createHash('sha256')
    let size = 0
    return {
      write: (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
        hash.update(bytes)
        size += bytes.length
      },
      end: () => {
        closeSync(file)
        this.written.push({ path, size, sha256: hash.digest('hex') })
      },
    }
  }
}

/** Characters that wait in memory until they are written. */
const HELD = 4_194_304

/**
 * Sorts more lines than memory holds: they lie on the disk by their first cells, of which each group fits, and are read group by group.
 * `folder` is for it alone, and is left to the caller.
 */
export class SortedLines {
  readonly #held = new Map<string, string[]>()
  readonly #fileOf = new Map<string, string>()
  #size = 0

  constructor(
    private readonly folder: string,
    private readonly first: number,
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  add(line: readonly Cell[]): void {
    const group = keyOf(line.slice(0, this.first))
    const text = JSON.stringify(line)
    const held = this.#held.get(group)
    if (held) held.push(text)
    else this.#held.set(group, [text])
    this.#size += text.length
    if (this.#size > HELD) this.#write()
  }

  /** In the order of their cells, as texts. */
  *inOrder(): Generator<Cell[]> {
    this.#write()
    for (const group of [...this.#fileOf.keys()].sort(byText)) {
      const lines = readFileSync(this.#fileOf.get(group) as string, 'utf8')
        .split('\n')
        .slice(0, -1)
      const sorted = lines.map((text) => {
        const line = JSON.parse(text) as Cell[]
        return { line, key: keyOf(line) }
      })
      for (const { line } of sorted.sort((a, b) => byText(a.key, b.key))) yield line
    }
  }

  #write(): void {
    for (const [group, lines] of this.#held) {
      const file = this.#fileOf.get(group) ?? join(this.folder, `${this.#fileOf.size}.lines`)
      this.#fileOf.set(group, file)
      appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    }
    this.#held.clear()
    this.#size = 0
  }
}

const keyOf = (cells: readonly Cell[]) => cells.map((cell) => `${cell ?? ''}\u0001`).join('')
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
