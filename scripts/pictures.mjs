// `npm run pictures`: the pictures of the app in docs/pictures: sheets with small pictures of every page (light, dark, on a telephone, in
// Arabic), and the pages that the documents show.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchBrowser } from '../desktop/ui/tests/browser.ts'
import { takeDocumentPictures } from '../desktop/ui/tests/document-pictures.ts'
import { root } from './install.mjs'

/** By the end of a picture's name: the number of pictures in a row, and the width of each in pixels. */
const sheets = {
  light: { across: 5, width: 440 },
  dark: { across: 5, width: 440 },
  phone: { across: 10, width: 210 },
  arabic: { across: 5, width: 440 },
}
const EVERY_PAGE = 'desktop/ui/tests/every-page.browser.test.ts'

const folder = mkdtempSync(join(tmpdir(), 'markbook-pictures-'))
try {
  takePictures()
  for (const [kind, size] of Object.entries(sheets)) await writeSheet(kind, size)
  await takeDocumentPictures(join(root, 'docs', 'pictures'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function takePictures() {
  const vitest = join(root, 'node_modules', '.bin', 'vitest')
  const { status } = spawnSync(vitest, ['run', '--project', 'browser', EVERY_PAGE], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PICTURES: folder },
  })
  if (status !== 0) throw new Error('not every page could be taken')
}

async function writeSheet(kind, size) {
  const path = join(root, 'docs', 'pictures', `pages-${kind}.webp`)
  writeFileSync(path, await sheetOf(picturesOf(kind), size))
  console.log(`${path}: ${Math.round(statSync(path).size / 1_000)} kB`)
}

/** In the order of the test that takes them. */
function picturesOf(kind) {
  const names = readdirSync(folder).filter((name) => name.endsWith(`-${kind}.png`))
  const taken = (name) => statSync(join(folder, name)).mtimeMs
  return names
    .sort((a, b) => taken(a) - taken(b))
    .map((name) => ({ name: name.replace(`-${kind}.png`, ''), png: readFileSync(join(folder, name), 'base64') }))
}

async function sheetOf(pictures, { across, width }) {
  const browser = await launchBrowser()
  const page = await browser.newPage()
  const url = await page.evaluate(drawSheet, { pictures, across, width })
  await browser.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

/** Runs in the browser: draws each picture with its name below on one canvas. */
async function drawSheet({ pictures, across, width }) {
  const GAP = 14
  const LINE = 22
  const images = await Promise.all(
    pictures.map(async ({ name, png }) => {
      const image = new Image()
      image.src = `data:image/png;base64,${png}`
      await image.decode()
      return { name, image }
    }),
  )
  const [first] = images
  const height = Math.round((width * first.image.height) / first.image.width)
  const canvas = document.createElement('canvas')
  canvas.width = across * (width + GAP) + GAP
  canvas.height = Math.ceil(images.length / across) * (height + LINE + GAP) + GAP
  const paper = canvas.getContext('2d')
  paper.imageSmoothingQuality = 'high'
  paper.fillStyle = '#8b939f'
  paper.fillRect(0, 0, canvas.width, canvas.height)
  paper.fillStyle = '#000'
  paper.font = '600 14px sans-serif'
  for (const [at, { name, image }] of images.entries()) {
    const x = GAP + (at % across) * (width + GAP)
    const y = GAP + Math.floor(at / across) * (height + LINE + GAP)
    paper.drawImage(image, x, y, width, height)
    paper.fillText(name, x, y + height + 16)
  }
  return canvas.toDataURL('image/webp', 0.85)
}
