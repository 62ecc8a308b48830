import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { connectDevTools } from './devtools-pipe.ts'
import { problemPage } from './words.ts'

function talking(timeoutMs = 5_000) {
  const [incoming, outgoing] = [new PassThrough(), new PassThrough()]
  const events: [string, unknown][] = []
  const connection = connectDevTools(incoming, outgoing, timeoutMs, (method, params) => events.push([method, params]))
  const sent: unknown[] = []
  outgoing.on('data', (part: Buffer) => {
    for (const text of part.toString().split('\0').filter(Boolean)) sent.push(JSON.parse(text))
  })
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const say = async (text: string) => {
    incoming.write(text)
    await settle()
  }
  return { connection, events, sent, settle, say, incoming }
}

describe('a connection with the browser', () => {
  test('replies are matched to requests in any order, also when messages are split', async () => {
    const { connection, sent, settle, say } = talking()
    const answers = Promise.all([connection.send('A.first'), connection.send('B.second', { x: 1 })])
    await settle()
    expect(sent).toEqual([
      { id: 1, method: 'A.first', params: {} },
      { id: 2, method: 'B.second', params: { x: 1 } },
    ])
    await say('{"id":2,"result":{"y":"É')
    await say('"}}\0{"id":1,"res')
    await say('ult":7}\0')
    expect(await answers).toEqual([7, { y: 'É' }])
  })

  test('messages without a request are events', async () => {
    const { events, say } = talking()
    await say('{"method":"Target.targetCreated","params":{"a":1}}\0')
    expect(events).toEqual([['Target.targetCreated', { a: 1 }]])
  })

  test('a refusal, a timeout and the end of the browser reject the request', async () => {
    const { connection, say, incoming } = talking()
    const refused = expect(connection.send('X')).rejects.toThrow('not allowed')
    await say('{"id":1,"error":{"message":"not allowed"}}\0')
    await refused
    await expect(talking(20).connection.send('Y')).rejects.toThrow('did not answer to Y')
    const open = expect(connection.send('Z')).rejects.toThrow('did not answer to Z')
    incoming.destroy()
    await open
  })
})

test('a message is shown as text, whatever it contains', () => {
  expect(problemPage('<b>no</b>\n"a" & b', 'fr-FR')).toContain('<p>&#60;b&#62;no&#60;/b&#62;</p><p>&#34;a&#34; &#38; b</p>')
})
