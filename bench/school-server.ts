import { centralSchool } from './central.ts'
import { type At, copyOfSchool, dropCopy } from './fill.ts'
import { type Program, SECRET, startProgram, startServer } from './processes.ts'
import { type Cookies, signIn } from './requests.ts'
import { benchSchool, type Size } from './school.ts'

/** A server on a copy of the school, where that is, and who is signed in there. */
export type Serving<Place> = Place & { size: Size; program: Program; cookies: Cookies }

const serve = async <Place extends At>(size: Size, at: Place): Promise<Serving<Place>> => ({
  ...at,
  size,
  cookies: await signIn(size, at),
  program: await startServer(at),
})
export const serveSchool = async (size: Size) => serve(size, { folder: await copyOfSchool(size) })
export const serveCentral = async (size: Size) => serve(size, { url: await centralSchool(size) })

/** A program on the folder of a server, or on a copy of its own. */
export const startOn = (folder: string, name: string): Promise<Program> => startProgram(name, folder, SECRET, benchSchool('year').id)
export const startAlone = async (name: string): Promise<Program> => startOn(await copyOfSchool('year'), name)

/** Before the benchmark is over, after which every program is stopped. */
export async function end(...programs: readonly { program: Program; folder?: string }[]): Promise<void> {
  for (const { program, folder } of programs) {
    await program.stop()
    if (folder) dropCopy(folder)
  }
}
