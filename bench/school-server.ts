import { centralSchool } from './central.ts'
import { copyOfSchool, dropCopy } from './fill.ts'
import { type Program, SECRET, startProgram, startServer } from './processes.ts'
import { type Cookies, signIn } from './requests.ts'
import { benchSchool, type Size } from './school.ts'

/** A server on a copy of the school, where that is, and who is signed in there. */
export type Serving<Place> = Place & { size: Size; program: Program; cookies: Cookies }

let copies = 0
export async function serveSchool(size: Size): Promise<Serving<{ folder: string }>> {
  copies += 1
  const at = { folder: await copyOfSchool(size, `${size}-${copies}`) }
  return { ...at, size, cookies: await signIn(size, at), program: await startServer(at) }
}

export async function serveCentral(size: Size): Promise<Serving<{ url: string }>> {
  copies += 1
  const at = { url: await centralSchool(size, `copy_${copies}`) }
  return { ...at, size, cookies: await signIn(size, at), program: await startServer(at) }
}

/** A control on the folder of a server, or on a copy of its own. */
export const startControl = (name: string, folder: string): Promise<Program> => startProgram(name, folder, SECRET, benchSchool('year').id)
export async function startControlAlone(name: string): Promise<Program> {
  copies += 1
  return startControl(name, await copyOfSchool('year', `control-${copies}`))
}

/** Before the benchmark is over, after which every program is stopped. */
export async function end(...programs: readonly { program: Program; folder?: string }[]): Promise<void> {
  for (const { program, folder } of programs) {
    await program.stop()
    if (folder) dropCopy(folder)
  }
}
