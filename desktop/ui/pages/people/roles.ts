export const ROLES = ['teacher', 'member', 'admin'] as const
export type Role = (typeof ROLES)[number]
