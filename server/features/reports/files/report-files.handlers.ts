import type { reportFiles } from '@markbook/shared/contract/report-files'
import type { Handlers } from '../../../http/handler.ts'
import { classFileHandlers } from './class-files.handlers.ts'
import { classPdfHandlers } from './class-pdfs.handlers.ts'
import { pdfHandlers } from './pdfs.handlers.ts'

export const reportFileHandlers: Handlers<typeof reportFiles> = { ...classPdfHandlers, ...classFileHandlers, ...pdfHandlers }
