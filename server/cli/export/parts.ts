import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, createReadStream, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Cell } from '@markbook/shared/spreadsheet/table'
import { z } from 'zod'
import { csvLines } from '../../documents/csv.ts'
import { makeFolder } from '../../make-folder.ts'
import { orNull } from '../../or-null.ts'
import { FINISHED, Manifest } from './manifest.ts'
import { filesBelow } from './place.ts'

/** Lines of a CSV in one write. */
const AT_ONCE = 100

const Part = Manifest.shape.parts.unwrap()

/**
 * What the content depends on: two exports with the same origin have the same bytes. `position`: of the school's feed, which every change
 * advances.
 */
const Origin = z.strictObject({
  version: z.string(),
  schema: z.int(),
  school: z.string(),
  admin: z.string(),
  position: z.string(),
})
export type Origin = z.infer<typeof Origin>

/** A line of `FINISHED`, after the first, which is the origin. */
const FinishedLine = z.strictObject({ part: Part, about: z.unknown().optional() })
type FinishedLine = z.infer<typeof FinishedLine>

/**
 * Writes the files of an export into a folder, each piece by piece, and collects their entries of the manifest. Of an earlier run it keeps
 * all finished parts where the origin is the same, else the stored files only.
 */
export class PartsFolder {
  readonly written: Manifest['parts'] = []
  /** The number of parts that an earlier run had finished. */
  kept = 0
  readonly #earlier: ReadonlyMap<string, FinishedLine>

  constructor(
    readonly folder: string,
    origin: Origin,
  ) {
    makeFolder(folder, 0o700)
    this.#earlier = finishedIn(folder, origin)
    rmSync(join(folder, FINISHED), { force: true })
    this.#note(origin)
    for (const line of this.#earlier.values()) this.#note(line)
  }

  /**
   * Takes over these parts where an earlier run finished all of them and they are unchanged. Returns the `about` of each, as given to
   * `table`; else null.
   */
  async keep(...paths: string[]): Promise<unknown[] | null> {
    const lines: FinishedLine[] = []
    for (const path of paths) {
      const line = await this.#finished(path)
      if (!line) return null
      lines.push(line)
    }
    this.written.push(...lines.map(({ part }) => part))
    this.kept += lines.length
    return lines.map(({ about }) => about)
  }

  /** Takes over a stored file where it has this digest; returns whether it did. */
  async keepFile(path: string, sha256: string): Promise<boolean> {
    return this.#earlier.get(path)?.part.sha256 === sha256 && (await this.keep(path)) !== null
  }

  async #finished(path: string): Promise<FinishedLine | null> {
    const line = this.#earlier.get(path)
    const place = join(this.folder, path)
    if (!line || statSync(place, { throwIfNoEntry: false })?.size !== line.part.size) return null
    const hash = createHash('sha256')
    await pipeline(createReadStream(place), hash)
    return hash.digest('hex') === line.part.sha256 ? line : null
  }

  /** Begins a CSV. The caller ends it with `end`; `about` is what `keep` returns in a later run. */
  table(path: string, head: readonly string[]): { add(cells: readonly Cell[]): void; end(about?: unknown): void } {
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
      end: (about) => {
        if (lines.length > 0) flush()
        file.end(about)
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

  /** Removes all files but the parts of this run and their list. */
  close(): void {
    const parts = new Set([FINISHED, ...this.written.map(({ path }) => path)])
    for (const path of filesBelow(this.folder)) if (!parts.has(path)) rmSync(join(this.folder, path))
  }

  #begin(path: string) {
    const place = join(this.folder, path)
    makeFolder(dirname(place))
    const file = openSync(place, 'w', 0o600)
    const hash = createHash('sha256')
    let size = 0
    return {
      write: (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
        hash.update(bytes)
        size += bytes.length
      },
      end: (about?: unknown) => {
        closeSync(file)
        const part = { path, size, sha256: hash.digest('hex') }
        this.written.push(part)
        this.#note({ part, ...(about !== undefined && { about }) })
      },
    }
  }

  #note(line: Origin | FinishedLine): void {
    appendFileSync(join(this.folder, FINISHED), `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }
}

/** The finished parts of an earlier run. A line that was cut off is left out, and so is what an earlier Markbook wrote in another form. */
function finishedIn(folder: string, origin: Origin): Map<string, FinishedLine> {
  const [first, ...lines] = (orNull(() => readFileSync(join(folder, FINISHED), 'utf8')) ?? '')
    .split('\n')
    .map((line) => orNull((): unknown => JSON.parse(line)))
  const isSame = JSON.stringify(Origin.safeParse(first).data) === JSON.stringify(Origin.parse(origin))
  const finished = lines.flatMap((line) => FinishedLine.safeParse(line).data ?? [])
  return new Map(finished.filter(({ part }) => isSame || part.path.startsWith(STORED)).map((line) => [line.part.path, line]))
}

/** The folder of the stored files in an export. */
export const STORED = 'files/'

/** Characters that stay in memory before they are written. */
const HELD = 1_048_576

/**
 * Sorts more lines than fit in memory: `add` writes them to files by their first `first` cells, and `inOrder` reads one of these files at a
 * time. Only one such file has to fit in memory. The caller removes `folder`, which nothing else may use.
 */
export class SortedLines {
  readonly #held = new Map<string, string[]>()
  readonly #fileOf = new Map<string, string>()
  #size = 0

  constructor(
    private readonly folder: string,
    private readonly first: number,
  ) {
    makeFolder(folder, 0o700)
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

  /** The lines, ordered by their cells as texts. */
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
