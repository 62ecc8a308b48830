import { centralSchool } from './central.ts'
import { copyOfSchool, dropCopy } from './fill.ts'
import { load, type Program, startProgram, startServer } from './processes.ts'
import { type Cookies, SECRET, signIn, touchRequest } from './requests.ts'
import { benchSchool, type Size } from './school.ts'

/** A server on a copy of the school, and who is signed in there. */
export type Serving = { program: Program; cookies: Cookies; folder: string; url: string; forget(): Promise<void> }

const serving = (
  size: Size,
  program: Program,
  cookies: Cookies,
  { folder = '', url = '' }: { folder?: string; url?: string },
): Serving => ({
  program,
  cookies,
  folder,
  url,
  forget: async () => {
    await load({ port: program.port, connections: 1, count: 1, requests: [touchRequest(size, cookies.head)] })
  },
})

let copies = 0
export async function serveSchool(size: Size): Promise<Serving> {
  copies += 1
  const folder = await copyOfSchool(size, `${size}-${copies}`)
  const cookies = await signIn(size, { folder })
  return serving(size, await startServer({ DATA_DIR: folder, SESSION_SECRET: SECRET }), cookies, { folder })
}

export async function serveCentral(size: Size): Promise<Serving> {
  copies += 1
  const url = await centralSchool(size, `copy_${copies}`)
  const cookies = await signIn(size, { url })
  return serving(size, await startServer({ DATABASE_URL: url, SESSION_SECRET: SECRET }), cookies, { url })
}

/** A control on the folder of a server, or on a copy of its own. */
export const startControl = (name: string, folder: string): Promise<Program> => startProgram(name, folder, SECRET, benchSchool('year').id)
export async function startControlAlone(name: string): Promise<Program> {
  copies += 1
  return startControl(name, await copyOfSchool('year', `control-${copies}`))
}

export async function end(...programs: readonly { program: Program; folder?: string }[]): Promise<void> {
  for (const { program, folder } of programs) {
    await program.stop()
    if (folder) dropCopy(folder)
  }
}
