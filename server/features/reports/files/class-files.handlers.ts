import { type ClassReportFile, reportFileFailures, reportFiles } from '@markbook/shared/contract/report-files'
import { reportFailures } from '@markbook/shared/contract/reports'
import { chargeUpload } from '../../../files/quota.ts'
import type { StoredObject } from '../../../files/storage.ts'
import { type Handlers, on, onFile, onStaged } from '../../../http/handler.ts'
import type { Services } from '../../../http/services.ts'
import { codeOfHistory } from '../../../replication/audit/head-code.ts'
import type { WriteTx } from '../../../store/tx.ts'
import { type ClassPlace, classPlace } from '../reports.policy.ts'
import { broadsheetInput, readBroadsheet } from './broadsheet-data.ts'
import { demandContent } from './content.ts'
import { classFileName, titledOf } from './names.ts'
import { BUCKET, classFilePath, contentTypes, type FileType } from './paths.ts'
import { printingOf } from './pdf-storage.ts'
import { filesOfClass } from './report-files.queries.ts'

type Type = ClassReportFile['report_type']
type Kept = { object: StoredObject; reportType: Type; fileType: FileType }

const ofClass = ({ group, term }: ClassPlace, type: Type) => ({ school: group.school_id, group: group.id, term: term.id, type })

const keep = ({ files, clock }: Services, groupId: string, fileType: FileType, bytes: Uint8Array): Promise<StoredObject> =>
  files.put(BUCKET, classFilePath(groupId, clock.now(), fileType), bytes, { contentType: contentTypes[fileType] })

async function record(tx: WriteTx, { group, term }: ClassPlace, { object, reportType, fileType }: Kept): Promise<ClassReportFile> {
  return tx.insert('class_report_file', {
    id: tx.newId(),
    school_id: group.school_id,
    student_group_id: group.id,
    term_id: term.id,
    report_type: reportType,
    file_type: fileType,
    file_path: object.path,
    file_size: object.size,
    sha256: object.etag,
    generated_by: tx.actor,
    generated_at: tx.now,
  })
}

export const classFileHandlers = {
  classFiles: on(reportFiles.classFiles, {
    load: (context, { targets }) => classPlace(context, targets),
    run: ({ tx }, { query }, place) => filesOfClass(tx, ofClass(place, query.reportType)),
  }),

  downloadClassFile: onFile(reportFiles.downloadClassFile, {
    load: (context, { targets }) => classPlace(context, targets),
    run: async ({ tx }, { query }, place) => {
      const files = await filesOfClass(tx, ofClass(place, query.reportType))
      const newest = files.find(({ file_type }) => file_type === query.fileType)
      if (!newest) throw reportFileFailures.noClassFile()
      return { path: newest.file_path, filename: classFileName('summary', titledOf(place, query.reportType), query.fileType) }
    },
    finish: async ({ path, filename }) => ({ stored: { bucket: BUCKET, path }, filename, missing: reportFileFailures.fileAway() }),
  }),

  uploadClassFile: onStaged(reportFiles.uploadClassFile, {
    load: (context, { targets }) => classPlace(context, targets),
    gather: async ({ caller }, { body, upload }, { group }) => ({ ...body, upload, groupId: group.id, userId: caller.user_id }),
    make: async (services, { upload, groupId, userId, reportType, fileType }) => {
      await chargeUpload(services, userId, 'files', upload.bytes.length)
      await demandContent(fileType, upload.bytes)
      return { object: await keep(services, groupId, fileType, upload.bytes), reportType, fileType }
    },
    save: ({ tx }, kept, place) => record(tx, place, kept),
  }),

  generateClassFile: onStaged(reportFiles.generateClassFile, {
    load: (context, { targets }) => classPlace(context, targets),
    gather: async ({ tx }, { body, query }, place) => {
      const { reportType, fileType } = body
      if (reportType === 'year_end' && place.year.grading_model === 'term_based') throw reportFailures.noYearEnd()
      const gathered = await readBroadsheet(tx, { ...place, type: reportType }, printingOf(query))
      const historyCode = await codeOfHistory(tx, place.group.school_id)
      return { gathered, historyCode, groupId: place.group.id, reportType, fileType }
    },
    make: async (services, { gathered, historyCode, groupId, reportType, fileType }) => {
      const input = { ...(await broadsheetInput(gathered, services.files)), historyCode }
      const bytes = await services.documents.broadsheet(input, fileType, { school: gathered.head.schoolId })
      return { object: await keep(services, groupId, fileType, bytes), reportType, fileType }
    },
    save: ({ tx }, kept, place) => record(tx, place, kept),
  }),
} satisfies Partial<Handlers<typeof reportFiles>>
