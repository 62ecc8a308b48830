/** Imports between folders that are forbidden (docs/ARCHITECTURE.md). The name of a rule is its reason. */
const tests = '(\\.test\\.tsx?$|^desktop/ui/tests/)'
const forbid = (name, from, to, extra = {}) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: [tests, ...(extra.except ?? [])] },
  to,
})

// dependency-cruiser asks swc to parse TypeScript without JSX.
const swc = require('@swc/core')
const { parseFileSync } = swc
swc.parseFileSync = (file, options) => parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })

/** The folders of server/replication, from the lowest to the highest. */
const replication = [
  'identity',
  'line',
  'scope',
  'journal',
  'incarnation',
  'issues',
  'files',
  'downstream',
  'upstream',
  'exchange',
  'audit',
]

module.exports = {
  forbidden: [
    forbid('nothing imports the server: it is the top layer', '^(shared|sync|desktop)/', { path: '^server/' }),
    forbid('an example imports nothing but Node itself', '^examples/', { pathNot: '^examples/', dependencyTypesNot: ['core'] }),
    forbid('nothing but tests imports the examples', '^(shared|sync|server|desktop)/', { path: '^examples/' }),
    forbid('nothing imports the desktop', '^(shared|sync|server)/', { path: '^desktop/' }),
    forbid('every other folder uses shared, so it imports none of them', '^shared/', { path: '^(sync|server|desktop)/' }),
    forbid('sync knows rules and messages, not who carries them', '^sync/', { path: '^(server|desktop)/' }),
    forbid('shared and sync run anywhere: no Node module', '^(shared|sync)/', { dependencyTypes: ['core'] }),
    // That these two give it types alone is checked by scripts/check.mjs: the parser here does not tell them from values.
    forbid('shared/domain does arithmetic and rules, never I/O, so it imports nothing but the types of its results', '^shared/domain/', {
      pathNot: '^shared/(domain/|contract/(calculations|explanation)\\.ts$)',
    }),
    forbid('the contract is seen by the app, which knows no tables', '^shared/contract/', { path: '^shared/tables/' }),
    forbid(
      'drivers and databases live in server/store alone',
      '^server/',
      { path: 'node_modules/(better-sqlite3|postgres)/' },
      { except: ['^server/store/', '^server/testing/'] },
    ),
    forbid('settings are read before anything of the server is there', '^server/config\\.ts$', {
      path: '^server/',
      pathNot: '^server/(network/|make-folder\\.ts$)',
    }),
    forbid('addresses are told apart before anything of the server is there', '^server/network/', {
      path: '^server/',
      pathNot: '^server/network/',
    }),
    forbid('the store is below whatever reads and writes through it', '^server/store/', {
      path: '^server/(app|cache|cli|desktop|documents|features|files|http|lan|mail|replication|start)',
    }),
    forbid('files are stored below whoever asks for them', '^server/files/', {
      path: '^server/(app|cache|cli|desktop|documents|features|http|lan|mail|replication|start)',
    }),
    forbid(
      'requests are read and answered without knowing what is asked for; services.ts names the types of what features are given',
      '^server/http/',
      { path: '^server/(app|cli|desktop|features|lan|replication|start)' },
      { except: ['^server/http/services\\.ts$'] },
    ),
    forbid('features know nothing of what mounts or starts them', '^server/features/', { path: '^server/(app|cli|desktop|start)' }),
    // Undoing and replication write through the handlers of every kind of row. A mark and its history name other nodes.
    forbid(
      'features know each other through their policy',
      '^server/features/([^/]+)/',
      {
        path: '^server/features/[^/]+/',
        pathNot: ['^server/features/$1/', '\\.policy\\.ts$', '^server/features/replication/(replication\\.queries|naming|people)\\.ts$'],
      },
      { except: ['^server/features/history/undoers\\.ts$', '^server/features/replication/', '\\.fixtures\\.ts$'] },
    ),
    // These two use what a feature decides. Replication moves below the features, and the list goes with it.
    forbid(
      'replication is below the features that show it',
      '^server/replication/',
      { path: '^server/(app|cli|desktop|features|start)' },
      { except: ['files/named', 'scope/people'].map((file) => `^server/replication/${file}\\.ts$`) },
    ),
    ...replication.map((folder, at) =>
      forbid('replication imports downwards: docs/design/replication.md has the drawing', `^server/replication/${folder}/`, {
        path: `^server/replication/(${[...replication.slice(at + 1).map((above) => `${above}/`), '[^/]+$'].join('|')})`,
      }),
    ),
    forbid('what a parent answers and what a child does know nothing of each other', '^server/replication/upstream/', {
      path: '^server/replication/downstream/',
    }),
    forbid(
      'the keyring is asked at the edge, by the command line; what is below is given keys',
      '^server/(?!cli/|keyring/)',
      { path: '^server/keyring/' },
      { except: ['^server/(testing|tests)/'] },
    ),
    forbid('the command line is used by nobody', '^server/(?!cli/)', { path: '^server/cli/' }, { except: ['^server/(testing|tests)/'] }),
    forbid('sync imports only shared and zod', '^sync/', { path: 'node_modules/', pathNot: 'node_modules/zod/' }),
    forbid('the desktop sees the contract, the rules and the story', '^desktop/', { path: '^(shared/tables|sync|server|bench|scripts)/' }),
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
    exclude: { path: '(^|/)(dist|migrations)/' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
  },
}
