import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { naturalId } from '@markbook/shared/ids'
import { englishEssay, mathsExam, zoe } from '@markbook/shared/story/marks'
import { people } from '@markbook/shared/story/people'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { seedStory } from '../../cli/seed/seed.ts'
import { createDatabase } from '../../testing/database.ts'
import { buildProgram, endPrograms } from '../../testing/program.ts'
import { ask } from '../durability/teacher.ts'
import { Node } from './network.ts'

const program = join(import.meta.dirname, '..', '..', '..', 'examples', 'minimal-client', 'client.mjs')
const marked = naturalId('grade', mathsExam.id, zoe.id)

let server: Node
let cookie: string
let drop: (() => Promise<void>) | undefined
let folder: string

beforeAll(async () => {
  buildProgram()
  folder = mkdtempSync(join(tmpdir(), 'markbook-minimal-'))
  const database = process.env['TEST_DATABASE'] === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined
  drop = database?.drop
  server = await Node.make('the server', database?.url)
  await server.prepare((store) => seedStory(store))
  await server.start()
  cookie = await server.cookie()
})
afterAll(async () => {
  await server?.remove()
  await endPrograms()
  await drop?.()
  rmSync(folder, { recursive: true, force: true })
})

/** What the example says to somebody who types this; it must end well, unless `fails`. */
const types = (...words: string[]) =>
  new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [program, folder, ...words], (error, said, complaint) =>
      error ? reject(new Error(complaint)) : resolve(said),
    )
  })
const asks = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
  JSON.parse((await ask({ port: server.port as number, method, path, cookie, body })).text)
const headWrites = (score: number) =>
  asks('POST', '/api/grades/bulk', { assessmentId: mathsExam.id, grades: [{ studentId: zoe.id, score }] })
const scoreAtServer = async () =>
  (await asks('GET', `/api/grades?assessmentId=${mathsExam.id}`)).find(({ id }: { id: string }) => id === marked).score
const markHere = async () => (await types('marks')).split('\n').find((line) => line.startsWith(marked))

describe('a client that was written from sync/SPEC.md alone', () => {
  test('joins by address and code, shows the marks, sends one, and meets and settles a conflict', async () => {
    const { code } = await asks('POST', '/api/sync/nodes/invite', { kind: 'laptop', userId: people.ada.id })
    const address = `http://127.0.0.1:${server.port}`
    await expect(types('join', address, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA-A')).rejects.toThrow('not authentic')
    await expect(types('join', 'http://school.example', code)).rejects.toThrow('--insecure')
    expect(await types('join', address, code.toLowerCase())).toBe('Joined St Brigid’s.\n')
    expect(await types('sync')).toMatch(/^\d\d+ rows came/)
    expect(await markHere()).toBe(`${marked}  Adeyemi, Zoë  Mathematics: ${mathsExam.title}  71 / ${mathsExam.max_score}`)

    expect(await types('set', marked, '64')).toMatch('Saved here')
    expect(await scoreAtServer()).toBe(71)
    expect(await types('sync')).toBe('0 rows came.\n')
    expect(await scoreAtServer()).toBe(64)
    const history = await asks('GET', `/api/history?entity=grade&id=${marked}`)
    expect(history[0]).toMatchObject({ actor: { id: people.ada.id }, changes: { score: { before: 71, after: 64 } } })

    await types('set', marked, '65')
    await headWrites(66)
    await types('sync')
    const [shown = ''] = (await types('conflicts')).split('\n')
    expect(shown).toContain(`grade ${marked}`)
    const stands = await scoreAtServer()
    const lost = stands === 66 ? 65 : 66
    const names = { 65: 'Ada Nowak', 66: 'Ngozi Okafor' } as Record<number, string>
    expect(shown).toContain(`kept {"score":${lost}} by ${names[lost]}`)
    expect(shown).toContain(`stands {"score":${stands}} by ${names[stands]}`)
    expect(await markHere()).toContain(`  ${stands} / `)

    await types('set', marked, '67')
    await types('sync')
    expect(await scoreAtServer()).toBe(67)
    expect(await asks('GET', '/api/sync/conflicts?status=open')).toEqual([])
    expect((await types('conflicts')).trim()).toBe('')
  })

  test('gives way where its teacher may not write, and keeps what was refused', async () => {
    const essay = naturalId('grade', englishEssay.id, zoe.id)
    const before = (await types('marks')).split('\n').find((line) => line.startsWith(essay))
    await types('set', essay, '1')
    await types('sync')
    expect(await types('refused')).toBe(`grade ${essay}: {"score":1} was not taken (forbidden)\n`)
    expect((await types('marks')).split('\n').find((line) => line.startsWith(essay))).toBe(before)
  })

  test('is told when it was revoked', async () => {
    const [node] = await asks('GET', '/api/sync/nodes')
    await asks('DELETE', `/api/sync/nodes/${node.id}`)
    await expect(types('sync')).rejects.toThrow('revoked')
  })
})
