/** Who sees the birth dates and genders of pupils besides administrators: class teachers of their own pupils, or all who teach. */
export const personalDataReaders = ['class_teachers', 'all_staff'] as const
