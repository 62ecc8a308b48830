import { centralSchool } from './central.ts'
import { type At, copyOfSchool, dropCopy } from './fill.ts'
import { type Program, SECRET, startProgram, startServer } from './processes.ts'
import { type Cookies, signIn } from './requests.ts'
import { benchSchool, type Size } from './school.ts'

/** A server on a copy of the school, with the place of its database and two sessions. */
export type Serving<Place> = Place & { size: Size; program: Program; cookies: Cookies }

const serve = async <Place extends At>(size: Size, at: Place): Promise<Serving<Place>> => ({
  ...at,
  size,
  cookies: await signIn(size, at),
  program: await startServer(at),
})
export const serveSchool = async (size: Size) => serve(size, { folder: await copyOfSchool(size) })
export const serveCentral = async (size: Size) => serve(size, { url: await centralSchool(size) })

/** Starts a program on the data folder of a server, or on a copy. */
export const startOn = (folder: string, name: string): Promise<Program> => startProgram(name, folder, SECRET, benchSchool('year').id)
export const startAlone = async (name: string): Promise<Program> => startOn(await copyOfSchool('year'), name)

/** Stops these programs and removes their folders before the benchmark ends, which would stop them too. */
export async function end(...programs: readonly { program: Program; folder?: string }[]): Promise<void> {
  for (const { program, folder } of programs) {
    await program.stop()
    if (folder) dropCopy(folder)
  }
}
