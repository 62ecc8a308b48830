import { type Columns, timestamps } from './columns.sqlite.ts'
import { always, type Description } from './describe.ts'
import type { Profile } from './people.ts'

/**
 * The confirmed TOTP secret of a person, at most one; its row's id is derived from the person's. `sealed_secret` is encrypted by the node.
 */
export const userTotp = (c: Columns, { user_profile }: Profile) =>
  c.table('public', 'user_totp', {
    columns: {
      id: c.uuid().notNull(),
      user_id: c.uuid().notNull(),
      sealed_secret: c.text().notNull(),
      confirmed_at: c.instant().notNull(),
      ...timestamps(c),
    },
    rules: (t) => [c.key(t.id), c.unique('user_totp_once', [t.user_id]), c.foreign('user_totp_user', [t.user_id], [user_profile.id])],
  })

export const userTotpDescription: Description = {
  scope: 'commons',
  identity: ['id', 'user_id', 'created_at'],
  natural: { kind: 'totp', of: ['user_id'] },
  notOnLaptops: true,
  units: { secret: ['sealed_secret', 'confirmed_at'] },
  audit: ['updated_at'],
  sealed: ['sealed_secret'],
}

/**
 * The printed one-time codes of a person: ten rows, `slot` 0 to 9, whose ids are derived from the person and the slot. A new set
 * overwrites the old one under a new `set_id`; a code is used where `used_set_id` names its set. `sealed_hash` is the code's hash,
 * encrypted by the node.
 */
export const recoveryCode = (c: Columns, { user_profile }: Profile) =>
  c.table('public', 'recovery_code', {
    columns: {
      id: c.uuid().notNull(),
      user_id: c.uuid().notNull(),
      slot: c.int().notNull(),
      set_id: c.uuid().notNull(),
      sealed_hash: c.text().notNull(),
      used_set_id: c.uuid(),
      used_at: c.instant(),
      ...timestamps(c),
    },
    rules: (t) => [
      c.key(t.id),
      c.unique('recovery_code_slot', [t.user_id, t.slot]),
      c.foreign('recovery_code_user', [t.user_id], [user_profile.id]),
    ],
  })

export const recoveryCodeDescription: Description = {
  scope: 'commons',
  identity: ['id', 'user_id', 'slot', 'created_at'],
  natural: { kind: 'recovery_code', of: ['user_id', 'slot'] },
  notOnLaptops: true,
  notDeletedAlone: always,
  units: { code: ['set_id', 'sealed_hash'], use: ['used_set_id', 'used_at'] },
  audit: ['updated_at'],
  sealed: ['sealed_hash'],
}
