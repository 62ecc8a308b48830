import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'

/** What a second start asks of the first. */
export type Wish = 'open' | 'quit'
const WISHES: readonly string[] = ['open', 'quit'] satisfies Wish[]
const LONGEST = 64
const ANSWER = 'ok\n'

/** `first`: nobody else runs, and from now on others are heard. `heard`: another runs, and has done it. */
export type Met = { role: 'first'; leave(): Promise<void> } | { role: 'heard' }

/** Asks the one that runs already, or becomes the one. A place that somebody left behind when they were killed is taken over. */
export async function meet(place: string, wish: Wish, grant: (wish: Wish) => void): Promise<Met> {
  for (let tries = 0; ; tries += 1) {
    const server = await listenAt(place, grant)
    if (server) return { role: 'first', leave: () => new Promise((resolve) => server.close(() => resolve())) }
    if (await tell(place, wish)) return { role: 'heard' }
    if (tries === 3) throw new Error(`Markbook cannot use ${place}.`)
    if (!place.startsWith('\\\\')) rmSync(place, { force: true })
  }
}

function listenAt(place: string, grant: (wish: Wish) => void): Promise<Server | null> {
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('data', (part: string) => {
      text += part
      const [word, ...rest] = text.split('\n')
      if (text.length > LONGEST) socket.destroy()
      if (rest.length === 0 || !word || !WISHES.includes(word)) return
      socket.end(ANSWER)
      grant(word as Wish)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(place, () => resolve(server))
  })
}

/** False where nobody is there, or whoever is says nothing of ours. */
function tell(place: string, wish: Wish): Promise<boolean> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(place, () => socket.write(`${wish}\n`))
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy())
    socket.on('data', (part: string) => {
      text += part
    })
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(text === ANSWER))
  })
}
