import { serveOnly } from './bare.ts'
import { callerOf } from './signed-in.ts'

/** `GET /api/auth/me`, and nothing else. */
serveOnly((request) => {
  const { id, email, first_name, last_name, role, school_id, school_name } = callerOf(request)
  return JSON.stringify({
    id,
    email,
    first_name,
    last_name,
    role,
    avatar_url: null,
    school_id,
    school: { id: school_id, name: school_name },
    is_onboarded: first_name !== null && last_name !== null,
    pending_join_request: null,
  })
})
