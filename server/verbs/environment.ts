import { join } from 'node:path'
import { type Config, readConfig, readDotEnv } from '../config.ts'

/** The configuration of this machine: the environment, over a `.env` file in the folder the program runs in. */
export const configure = (more: Record<string, string> = {}): Config =>
  readConfig({ ...readDotEnv(join(process.cwd(), '.env')), ...process.env, ...more })
