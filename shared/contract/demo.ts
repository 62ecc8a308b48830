import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { choice, Email, input, row } from './scalars.ts'

/** Somebody of the story whom a newcomer may be. */
export const DemoAccount = row('DemoAccount', {
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  who: choice(['head', 'class_teacher', 'subject_teacher']),
})
export type DemoAccount = z.infer<typeof DemoAccount>

/**
 * Beside the contract (docs/design/server.md): served only where the server was started as a demonstration, and only to the machine that it
 * runs on. Everywhere else there is nothing at this address.
 */
export const demoContract = {
  code: endpoint('POST /api/demo/code', 'none', 'Show the sign-in code of an account of the demonstration', {
    body: input({ email: Email }),
    reply: z.object({ code: z.string() }),
  }),
}
