export type Words = { readonly [key: string]: string | Words }

const ALONE = /_alone(?=_|$)/

/** Words in which each sentence `key_alone` takes the place of `key`, in each plural form. */
export function wordsAlone(words: Words): Words {
  const all = Object.entries(words).map(([key, value]) => [key, typeof value === 'string' ? value : wordsAlone(value)] as const)
  return Object.fromEntries([...all, ...all.flatMap(([key, value]) => (ALONE.test(key) ? [[key.replace(ALONE, ''), value] as const] : []))])
}
