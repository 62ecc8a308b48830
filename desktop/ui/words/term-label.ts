import { isKnownTerm } from '@markbook/shared/domain/term-names'
import i18next from 'i18next'

/** The name of a term: the three known names in the language of the page, any other one unchanged. */
export const termLabel = (name: string): string => (isKnownTerm(name) ? i18next.t(`term.${name}`, { ns: 'app' }) : name)
