import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'

/** A command that a second process sends to the running one. */
export type InstanceCommand = 'open' | 'quit'
const COMMANDS: readonly string[] = ['open', 'quit'] satisfies InstanceCommand[]
const COMMAND_BYTES = 64
const ANSWER = 'ok\n'

/** `primary`: this process is the only one and receives commands. `forwarded`: another process has received the command. */
export type Instance = { role: 'primary'; close(): Promise<void> } | { role: 'forwarded' }

/** Forwards the command to the running process, or becomes it. The socket of a killed process is replaced. */
export async function acquireInstance(
  socketPath: string,
  command: InstanceCommand,
  onCommand: (command: InstanceCommand) => void,
): Promise<Instance> {
  for (let tries = 0; ; tries += 1) {
    const server = await listenAt(socketPath, onCommand)
    if (server) return { role: 'primary', close: () => new Promise((resolve) => server.close(() => resolve())) }
    if (await forward(socketPath, command)) return { role: 'forwarded' }
    if (tries === 3) throw new Error(`Markbook cannot use ${socketPath}.`)
    if (!socketPath.startsWith('\\\\')) rmSync(socketPath, { force: true })
  }
}

function listenAt(socketPath: string, onCommand: (command: InstanceCommand) => void): Promise<Server | null> {
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('data', (part: string) => {
      text += part
      const [word, ...rest] = text.split('\n')
      if (text.length > COMMAND_BYTES) socket.destroy()
      if (rest.length === 0 || !word || !COMMANDS.includes(word)) return
      socket.end(ANSWER)
      onCommand(word as InstanceCommand)
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(socketPath, () => resolve(server))
  })
}

/** False where no Markbook answers on the socket. */
function forward(socketPath: string, command: InstanceCommand): Promise<boolean> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(socketPath, () => socket.write(`${command}\n`))
    socket.setEncoding('utf8').setTimeout(5_000, () => socket.destroy())
    socket.on('data', (part: string) => {
      text += part
    })
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(text === ANSWER))
  })
}
