import { matches } from '../../store/conditions.ts'
import { statement } from '../../store/statement.ts'

type Wanted = { owner: string; path: string }

/** Whose picture lies at a path: the content that the row names. `owner` is the id that the path ends with. */
export const avatarAt = statement<Wanted>()(({ db, t, p }) =>
  db
    .select({ sha256: t.user_profile.avatar_sha256 })
    .from(t.user_profile)
    .where(matches(t.user_profile, { id: p.owner, avatar_path: p.path })),
)

export const crestAt = statement<Wanted>()(({ db, t, p }) =>
  db
    .select({ sha256: t.school.crest_sha256 })
    .from(t.school)
    .where(matches(t.school, { id: p.owner, crest_path: p.path })),
)
