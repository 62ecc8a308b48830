import 'i18next'
import type account from './en/account.json'
import type app from './en/app.json'
import type assessments from './en/assessments.json'
import type classes from './en/classes.json'
import type failures from './en/failures.json'
import type history from './en/history.json'
import type home from './en/home.json'
import type marks from './en/marks.json'
import type people from './en/people.json'
import type reports from './en/reports.json'
import type results from './en/results.json'
import type school from './en/school.json'
import type signIn from './en/sign-in.json'
import type students from './en/students.json'
import type subjects from './en/subjects.json'
import type sync from './en/sync.json'
import type years from './en/years.json'

/** A key that the English catalogue lacks does not compile. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app'
    resources: {
      app: typeof app
      account: typeof account
      assessments: typeof assessments
      classes: typeof classes
      failures: typeof failures
      history: typeof history
      home: typeof home
      marks: typeof marks
      people: typeof people
      reports: typeof reports
      results: typeof results
      school: typeof school
      'sign-in': typeof signIn
      students: typeof students
      subjects: typeof subjects
      sync: typeof sync
      years: typeof years
    }
  }
}
