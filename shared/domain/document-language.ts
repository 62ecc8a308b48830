/** The languages of printed documents, one for each catalogue in `shared/words`. The default is English. */
export const documentLanguages = ['en', 'fr', 'ar'] as const
export type DocumentLanguage = (typeof documentLanguages)[number]
