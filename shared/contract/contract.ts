import { academicYears } from './academic-years.ts'
import { assessmentCategories } from './assessment-categories.ts'
import { assessments } from './assessments.ts'
import { attendance } from './attendance.ts'
import { audit } from './audit.ts'
import { auth } from './auth.ts'
import { avatars } from './avatars.ts'
import { bin } from './bin.ts'
import { calculations } from './calculations.ts'
import { classes } from './classes.ts'
import { grades } from './grades.ts'
import { gradingScale } from './grading-scale.ts'
import { history } from './history.ts'
import { imports } from './imports.ts'
import { invitations } from './invitations.ts'
import { jobs } from './jobs.ts'
import { overview } from './overview.ts'
import { passkeys } from './passkeys.ts'
import { replication } from './replication.ts'
import { reportFiles } from './report-files.ts'
import { reports } from './reports.ts'
import { schools } from './schools.ts'
import { sessions } from './sessions.ts'
import { signInMethods } from './sign-in-methods.ts'
import { students } from './students.ts'
import { subjects } from './subjects.ts'
import { teachingSets } from './teaching-sets.ts'
import { terms } from './terms.ts'

/** Every resource of the service, in the specification's order. */
export const contract = {
  auth,
  avatars,
  outage: signInMethods,
  passkeys,
  sessions,
  schools,
  invitations,
  academicYears,
  terms,
  students,
  subjects,
  classes,
  teachingSets,
  assessmentCategories,
  attendance,
  assessments,
  grades,
  calculations,
  reportFiles,
  reports,
  overview,
  jobs,
  gradingScale,
  history,
  audit,
  bin,
  imports,
  replication,
}
export type Contract = typeof contract
