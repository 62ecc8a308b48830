import { expect, test, vi } from 'vitest'

/** The bytes of one document for each text, drawn in order by a new thread. */
async function drawnInNewThread(texts: readonly string[]): Promise<string[]> {
  vi.resetModules()
  const [{ openFonts }, { openPdf, portrait }, { canvasFor }] = await Promise.all([
    import('./fonts.ts'),
    import('./pdf.ts'),
    import('./canvas.ts'),
  ])
  const drawn: string[] = []
  for (const text of texts) {
    const fonts = await openFonts()
    const { document, finish } = openPdf({ title: 'T', author: 'A', subject: 'S', madeAt: 0, locale: 'en-GB' }, portrait('a4'), fonts)
    document.addPage()
    canvasFor(document, fonts, { width: 595.28, isRightToLeft: false }).line(
      text,
      { face: 'regular', size: 10, color: '#1b1f24' },
      { x: 10, base: 50 },
    )
    drawn.push(Buffer.from(await finish()).toString('latin1'))
  }
  return drawn
}

test.each([
  ['a letter that was part of another before', 'é', 'e'],
  ['a space that was one without a break before', 'a\u00a0b', 'a b'],
  ['a letter that was taken apart before', 'ọ', 'o'],
  ['two letters that were one before', 'o', 'ọ'],
  ['a letter that was joined before', 'ببب', 'ب'],
  ['Arabic before', 'أحمد', 'Ahmed'],
])('a document is the same whatever was drawn before it: %s', async (_, before, text) => {
  const [, after] = await drawnInNewThread([before, text])
  const [alone] = await drawnInNewThread([text])
  expect(after).toBe(alone)
})
