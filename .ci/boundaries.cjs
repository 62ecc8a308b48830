/** The walls between the rooms (docs/ARCHITECTURE.md). The name of a rule is its reason. */
const tests = '(\\.test\\.tsx?$|^desktop/ui/tests/)'
const wall = (name, from, to, extra = {}) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: [tests, ...(extra.except ?? [])] },
  to,
})

module.exports = {
  forbidden: [
    wall('nothing imports the server: it is the top of the house', '^(shared|sync|desktop)/', { path: '^server/' }),
    wall('nothing imports the desktop', '^(shared|sync|server)/', { path: '^desktop/' }),
    wall('shared is what every room agrees on, so it knows no other room', '^shared/', { path: '^(sync|server|desktop)/' }),
    wall('sync knows rules and messages, not who carries them', '^sync/', { path: '^(server|desktop)/' }),
    wall('shared and sync run anywhere: no Node module', '^(shared|sync)/', { dependencyTypes: ['core'] }),
    wall('shared/domain does arithmetic and rules, never I/O, so it imports nothing', '^shared/domain/', { pathNot: '^shared/domain/' }),
    wall('the contract is seen by the app, which knows no tables', '^shared/contract/', { path: '^shared/tables/' }),
    wall(
      'drivers and databases live in server/store alone',
      '^server/',
      { path: 'node_modules/(better-sqlite3|postgres)/' },
      { except: ['^server/store/', '^server/testing/'] },
    ),
    wall('sync imports only shared and zod', '^sync/', { path: 'node_modules/', pathNot: 'node_modules/zod/' }),
    wall('the desktop sees the contract, the rules and the story', '^desktop/', { path: '^(shared/tables|sync|server)/' }),
    {
      name: 'a circle of imports has no top to read from',
      severity: 'error',
      from: { pathNot: tests },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    // Files with JSX are scripts/app-walls.mjs's to read.
    exclude: { path: '((^|/)(dist|migrations)/|\\.tsx$)' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'], extensions: ['.ts', '.mjs', '.js'] },
  },
}
