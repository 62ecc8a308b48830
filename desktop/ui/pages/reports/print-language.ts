import type { DocumentLanguage } from '@markbook/shared/domain/document-language'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'

/**
 * The language of one print: that of the school, unless the person chooses another. The shown language is sent with the request, so that a
 * change of the school's language does not surprise anybody. While the school's language is unknown, the server decides.
 */
export function usePrintLanguage() {
  const school = useQuery(ask('schools', 'mine')).data
  const [chosen, choose] = useState<DocumentLanguage>()
  const language = chosen ?? (school && (school.document_language ?? 'en'))
  return {
    shown: language ?? 'en',
    query: language ? { language } : {},
    choose: (code: string) => choose(code as DocumentLanguage),
  }
}
