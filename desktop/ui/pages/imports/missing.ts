import type { ImportReport } from '@markbook/shared/contract/imports'

export type MissingClass = { name: string; count: number }

/** The classes of a list that the year does not have, each with its number of rows. Names that differ only in case are one class. */
export function missingClasses({ rows }: Pick<ImportReport, 'rows'>): MissingClass[] {
  const found = new Map<string, MissingClass>()
  for (const { issues } of rows) {
    const name = issues.find(({ code }) => code === 'no_class')?.values?.['name']
    if (typeof name !== 'string') continue
    const key = name.toLocaleLowerCase()
    const known = found.get(key)
    found.set(key, { name: known?.name ?? name, count: (known?.count ?? 0) + 1 })
  }
  return [...found.values()]
}
