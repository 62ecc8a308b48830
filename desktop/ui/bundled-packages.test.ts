import { expect, test } from 'vitest'
import { packageFolders } from './bundled-packages.ts'

test('finds the package of each module once, also within other packages, and none for our own modules', () => {
  const modules = [
    '/r/node_modules/react-dom/client.js',
    '/r/node_modules/react/index.js?commonjs-proxy',
    '\0/r/node_modules/react/jsx-runtime.js?commonjs-module',
    '/r/desktop/ui/node_modules/@base-ui/react/node_modules/@floating-ui/core/dist/core.mjs',
    '/r/desktop/ui/main.tsx',
    '\0rolldown/runtime.js',
    'virtual:words',
  ]
  expect(packageFolders('/r', modules)).toEqual([
    'desktop/ui/node_modules/@base-ui/react/node_modules/@floating-ui/core',
    'node_modules/react',
    'node_modules/react-dom',
  ])
})
