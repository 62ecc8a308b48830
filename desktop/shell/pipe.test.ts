import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { talkOver } from './pipe.ts'
import { problemPage } from './words.ts'

function talking(patience = 5_000) {
  const [incoming, outgoing] = [new PassThrough(), new PassThrough()]
  const heard: [string, unknown][] = []
  const talk = talkOver(incoming, outgoing, patience, (method, params) => heard.push([method, params]))
  const asked: unknown[] = []
  outgoing.on('data', (part: Buffer) => {
    for (const text of part.toString().split('\0').filter(Boolean)) asked.push(JSON.parse(text))
  })
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const say = async (text: string) => {
    incoming.write(text)
    await settle()
  }
  return { talk, heard, asked, settle, say, incoming }
}

describe('a talk with the browser', () => {
  test('answers go to their questions, whatever their order and however they are cut', async () => {
    const { talk, asked, settle, say } = talking()
    const answers = Promise.all([talk.ask('A.first'), talk.ask('B.second', { x: 1 })])
    await settle()
    expect(asked).toEqual([
      { id: 1, method: 'A.first', params: {} },
      { id: 2, method: 'B.second', params: { x: 1 } },
    ])
    await say('{"id":2,"result":{"y":"É')
    await say('"}}\0{"id":1,"res')
    await say('ult":7}\0')
    expect(await answers).toEqual([7, { y: 'É' }])
  })

  test('what the browser says by itself is heard', async () => {
    const { heard, say } = talking()
    await say('{"method":"Target.targetCreated","params":{"a":1}}\0')
    expect(heard).toEqual([['Target.targetCreated', { a: 1 }]])
  })

  test('a refusal, silence and an end are failures, not a wait for ever', async () => {
    const { talk, say, incoming } = talking()
    const refused = expect(talk.ask('X')).rejects.toThrow('not allowed')
    await say('{"id":1,"error":{"message":"not allowed"}}\0')
    await refused
    await expect(talking(20).talk.ask('Y')).rejects.toThrow('did not answer to Y')
    const open = expect(talk.ask('Z')).rejects.toThrow('did not answer to Z')
    incoming.destroy()
    await open
  })
})

test('a problem is shown as text, whatever is in it', () => {
  expect(problemPage('<b>no</b>\n"a" & b', 'fr-FR')).toContain('<p>&#60;b&#62;no&#60;/b&#62;</p><p>&#34;a&#34; &#38; b</p>')
})
