import { isKnownTerm } from '@markbook/shared/domain/term-names'
import i18next from 'i18next'

/** A term as people read it: the three known names in the language of the page, the school's own word as it is. */
export const termLabel = (name: string): string => (isKnownTerm(name) ? i18next.t(`term.${name}`, { ns: 'app' }) : name)
