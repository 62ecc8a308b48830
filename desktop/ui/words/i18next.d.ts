import 'i18next'

/** Makes a key that the English catalogue lacks an error of the compiler. */
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app'
    resources: {
      app: typeof import('./en/app.json')
      account: typeof import('./en/account.json')
      assessments: typeof import('./en/assessments.json')
      audit: typeof import('./en/audit.json')
      bin: typeof import('./en/bin.json')
      classes: typeof import('./en/classes.json')
      columns: typeof import('@markbook/shared/words/en/columns.json')
      failures: typeof import('./en/failures.json')
      history: typeof import('./en/history.json')
      home: typeof import('./en/home.json')
      marks: typeof import('./en/marks.json')
      attendance: typeof import('./en/attendance.json')
      overview: typeof import('./en/overview.json')
      pair: typeof import('./en/pair.json')
      people: typeof import('./en/people.json')
      records: typeof import('@markbook/shared/words/en/records.json')
      reports: typeof import('./en/reports.json')
      results: typeof import('./en/results.json')
      school: typeof import('./en/school.json')
      'sign-in': typeof import('./en/sign-in.json')
      sets: typeof import('./en/sets.json')
      students: typeof import('./en/students.json')
      subjects: typeof import('./en/subjects.json')
      sync: typeof import('./en/sync.json')
      years: typeof import('./en/years.json')
    }
  }
}
