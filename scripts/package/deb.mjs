// Packages for Debian and Ubuntu; needs only dpkg-deb.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../install.mjs'
import { makeExecutable } from './executable.mjs'
import { pictureOf, sizes } from './icon.mjs'
import { linux } from './platforms.mjs'
import { buildProgram } from './program.mjs'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch]
const scripts = join(root, 'scripts', 'package', 'debian')

const kinds = {
  deb: {
    name: 'markbook-desktop',
    start: 'shell.mjs',
    command: 'markbook-desktop',
    depends: 'chromium | chromium-browser | google-chrome-stable | microsoft-edge-stable',
    summary: 'marks as fast as paper, with or without a network',
    description: [
      "The teachers' program of Markbook: enter marks, see results and make report",
      'cards on a laptop; what was entered reaches the school when there is a line.',
    ],
  },
  'deb-server': {
    name: 'markbook-server',
    start: 'markbook.mjs',
    command: 'markbook',
    depends: 'passwd',
    summary: "the server of a school's marks",
    description: [
      'Grading and reporting for a whole school on one small computer: browsers and',
      'laptops of the building work with it, also while the internet is down.',
    ],
  },
}

/** Writes one package into `out` and returns its path. `quick`: compresses less, for a test. */
export async function makeDeb(kind, out, { quick = false } = {}) {
  const own = kinds[kind]
  const tree = join(out, `${own.name}.tree`)
  rmSync(tree, { recursive: true, force: true })
  const home = join('usr', 'lib', own.name)
  const platform = linux()
  mkdirSync(join(tree, home), { recursive: true })
  await buildProgram(join(tree, home, 'program'), { platform, start: own.start })
  await makeExecutable(platform, join(tree, home, 'markbook'))
  mkdirSync(join(tree, 'usr', 'bin'))
  symlinkSync(`../lib/${own.name}/markbook`, join(tree, 'usr', 'bin', own.command))
  const copyright = `Markbook. The licences of Node.js and of the packages in it stand in /${home}/program/THIRD-PARTY.txt\n`
  write(tree, join('usr', 'share', 'doc', own.name, 'copyright'), copyright)
  if (kind === 'deb') furnishDesktop(tree)
  else await furnishServer(tree, home)
  write(tree, join('DEBIAN', 'control'), control(own, tree))
  // Independent of the umask of this process: everybody can read the installed files, and only root can write them.
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', tree])
  const file = join(out, `${own.name}_${version}_${architecture}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', ...(quick ? ['-Zgzip', '-z1'] : ['-Zxz']), '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(tree, { recursive: true, force: true })
  return file
}

const control = ({ name, depends, summary, description }, tree) =>
  [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Maintainer: Markbook <markbook@localhost>',
    `Installed-Size: ${Math.ceil(sizeOf(tree) / 1024)}`,
    `Depends: libc6 (>= ${newestLibc(tree)}), libstdc++6, ${depends}`,
    'Section: education',
    'Priority: optional',
    `Description: ${summary}`,
    ...description.map((line) => ` ${line}`),
    '',
  ].join('\n')

/** The newest glibc version that a binary in the tree is linked with. */
function newestLibc(tree) {
  const programs = filesIn(tree).filter((path) => /\.node$|\/markbook$/.test(path))
  const versions = programs.flatMap((path) =>
    [...readFileSync(path, 'latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor)),
  )
  return `2.${Math.max(...versions)}`
}

const sizeOf = (folder) => filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0)
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

function write(tree, path, text) {
  mkdirSync(dirname(join(tree, path)), { recursive: true })
  writeFileSync(join(tree, path), text)
}

const ENTRY = `[Desktop Entry]
Type=Application
Name=Markbook
Comment=Enter marks, see results, make report cards
Comment[fr]=Saisir les notes, voir les résultats, faire les bulletins
Exec=markbook-desktop
Icon=markbook
Categories=Education;Office;
StartupWMClass=Markbook
StartupNotify=true
`

function furnishDesktop(tree) {
  write(tree, join('usr', 'share', 'applications', 'markbook.desktop'), ENTRY)
  const icons = join(tree, 'usr', 'share', 'icons', 'hicolor')
  for (const size of sizes) cpSync(pictureOf(size), join(icons, `${size}x${size}`, 'apps', 'markbook.png'))
  cpSync(join(root, 'desktop', 'ui', 'public', 'icon.svg'), join(icons, 'scalable', 'apps', 'markbook.svg'))
}

async function furnishServer(tree, home) {
  const { firstSettings, unitOf } = await import('../../server/cli/service/unit.ts')
  const unit = unitOf({
    user: 'markbook',
    node: `/${home}/markbook`,
    program: `/${home}/program/markbook.mjs`,
    args: ['start'],
    configFile: '/etc/markbook/markbook.conf',
    dataDir: '/var/lib/markbook',
    port: 3000,
    writes: [],
  })
  write(
    tree,
    join('usr', 'lib', 'systemd', 'system', 'markbook.service'),
    unit.replace(/^# .*\n/, '# Changes of your own: sudo systemctl edit markbook\n'),
  )
  for (const name of ['postinst', 'prerm', 'postrm']) {
    const text = readFileSync(join(scripts, name), 'utf8').replace('@SETTINGS@\n', firstSettings('/var/lib/markbook'))
    write(tree, join('DEBIAN', name), text)
    chmodSync(join(tree, 'DEBIAN', name), 0o755)
  }
  cpSync(join(scripts, 'templates'), join(tree, 'DEBIAN', 'templates'))
}
