import { SMTPServer } from 'smtp-server'

/** A mail server that accepts every mail, passes its address and text to `taken`, and replies when `taken` is done. */
export async function startMailServer(
  taken: (address: string, text: string) => void | Promise<void>,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      let text = ''
      stream.on('data', (part) => (text += part))
      stream.on('end', async () => {
        await taken(envelope.rcptTo[0]?.address ?? '', text)
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as { port: number }
  return { port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
