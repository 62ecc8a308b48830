import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { choice, Email, input, row } from './scalars.ts'

/** A person of the story as whom a visitor may sign in. */
export const DemoAccount = row('DemoAccount', {
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  who: choice(['head', 'class_teacher', 'subject_teacher']),
})
export type DemoAccount = z.infer<typeof DemoAccount>

/**
 * Not part of the contract (docs/design/server.md): served only by a demonstration, and only to the machine on which it runs. Elsewhere
 * the path answers 404.
 */
export const demoContract = {
  code: endpoint('POST /api/demo/code', 'none', 'Show the sign-in code of an account of the demonstration', {
    body: input({ email: Email }),
    reply: z.object({ code: z.string() }),
  }),
}
