/** The named search parameters that are non-empty texts. */
export const searchTexts = <Name extends string>(search: Record<string, unknown>, ...names: Name[]): { [N in Name]?: string } => {
  const texts = names.map((name) => [name, search[name]]).filter(([, value]) => typeof value === 'string' && value !== '')
  return Object.fromEntries(texts)
}
