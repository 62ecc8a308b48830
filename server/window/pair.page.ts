import { pairWords } from './pair.words.ts'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --paper: #f6f7f9; --card: #fff; --line: #8a93a3; --accent: #1f4f8f; --on-accent: #fff; --bad: #a3231f }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eef1f5; --paper: #14181f; --card: #1e242d; --line: #7d8797; --accent: #9cc3f5; --on-accent: #0d2140; --bad: #ff9d94 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 38rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
header { display: flex; align-items: center; gap: .9rem }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.15rem; margin: 0 0 .5rem }
section { background: var(--card); border: 1px solid color-mix(in srgb, var(--line) 45%, transparent); border-radius: .6rem; padding: 1.25rem; margin-top: 1.25rem }
label { display: block; font-weight: 600; margin-top: 1rem }
.hint { font-size: .9rem; margin: .1rem 0 .35rem }
input { width: 100%; font: inherit; padding: .55rem .7rem; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .35rem }
#code { font-family: ui-monospace, monospace; text-transform: uppercase }
#fingerprint { display: block; font-family: ui-monospace, monospace; overflow-wrap: anywhere; margin: .75rem 0 }
button { font: inherit; font-weight: 600; margin-top: 1.1rem; margin-right: .6rem; padding: .6rem 1.1rem; border-radius: .35rem; border: 1px solid var(--accent); cursor: pointer }
button.first { background: var(--accent); color: var(--on-accent) }
button.second { background: transparent; color: inherit }
button:disabled { opacity: .6; cursor: default }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
[role=alert] { color: var(--bad); font-weight: 600; margin: 1rem 0 0 }
[role=alert]:empty, [role=status]:empty { display: none }
[role=status] { margin: 1rem 0 0 }
`

const ICON = `<svg width="48" height="48" aria-hidden="true" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#1f4f8f"/><path d="M14 14h15a5 5 0 0 1 5 5v33a4 4 0 0 0-4-4H14z" fill="#fff"/><path d="M50 14H37a5 5 0 0 0-5 5v33a4 4 0 0 1 4-4h14z" fill="#d5e3f6"/><path d="m38 30 4 4 6-9" fill="none" stroke="#1b7f4b" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`

/** The page of the first start: the school's address and an invitation, or alone. It asks `windowContract`. */
export const PAIR_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Markbook</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}"><style>${STYLE}</style></head>
<body><main>
<header>${ICON}<h1 data-say="heading"></h1></header>
<p data-say="intro"></p>
<section id="joining" aria-labelledby="ask"><form id="join" novalidate>
  <p id="ask" data-say="askAt"></p>
  <label for="address" data-say="address"></label><p class="hint" id="address-hint" data-say="addressHint"></p>
  <input id="address" name="address" required autocomplete="off" spellcheck="false" inputmode="url" aria-describedby="address-hint problem">
  <label for="code" data-say="code"></label><p class="hint" id="code-hint" data-say="codeHint"></p>
  <input id="code" name="code" required autocomplete="off" spellcheck="false" aria-describedby="code-hint problem">
  <p role="alert" id="problem"></p>
  <button class="first" data-say="join"></button>
</form></section>
<section id="trusting" aria-labelledby="trust-heading" hidden>
  <h2 id="trust-heading" tabindex="-1" data-say="trustHeading"></h2><p data-say="trust"></p><code id="fingerprint"></code>
  <button class="first" id="trust-yes" data-say="trustYes"></button><button class="second" id="trust-no" data-say="trustNo"></button>
</section>
<p role="status" id="progress"></p>
<section id="being-alone" aria-labelledby="alone-heading"><form id="alone" novalidate>
  <h2 id="alone-heading" data-say="aloneHeading"></h2><p data-say="alone"></p>
  <label for="email" data-say="email"></label><input id="email" name="email" type="email" required autocomplete="email" aria-describedby="alone-problem">
  <p role="alert" id="alone-problem"></p>
  <button class="second" data-say="aloneYes"></button>
</form></section>
</main><script src="/pair.js"></script></body></html>`

export const PAIR_SCRIPT = `'use strict'
const WORDS = ${JSON.stringify(pairWords)}
const language = navigator.languages.map((each) => each.slice(0, 2)).find((each) => each in WORDS) ?? 'en'
const words = WORDS[language]
const at = (id) => document.getElementById(id)
document.documentElement.lang = language
document.title = words.title
for (const element of document.querySelectorAll('[data-say]')) element.textContent = words[element.dataset.say]

async function ask(method, path, body) {
  const options = body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
  const reply = await fetch('/window/' + path, { method, ...options }).catch(() => { throw new Error(words.unreachable) })
  const answer = await reply.json().catch(() => ({}))
  if (reply.ok) return answer
  const first = answer.code === 'validation_failed' && answer.issues?.[0]?.message
  throw Object.assign(new Error(first ? answer.message + ' (' + first + ')' : answer.message ?? words.unreachable), answer)
}

const show = (id, isShown) => { at(id).hidden = !isShown }
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function whileCopying(here) {
  for (const id of ['joining', 'trusting', 'being-alone']) show(id, false)
  for (let tries = 0; here.state === 'copying'; tries += 1) {
    at('progress').textContent = (tries < 60 ? words.copying : words.stillCopying).replace('{parent}', here.parent.name)
    await wait(500)
    here = await ask('GET', 'here').catch(() => here)
  }
  location.replace('/window')
}

async function join(fingerprint) {
  at('problem').textContent = ''
  at('progress').textContent = words.joining
  for (const button of document.querySelectorAll('button')) button.disabled = true
  try {
    const here = await ask('POST', 'join', { address: at('address').value, code: at('code').value, ...(fingerprint && { fingerprint }) })
    await whileCopying(here)
  } catch (error) {
    const isUnknown = error.code === 'sync.not_trusted'
    show('trusting', isUnknown)
    show('joining', !isUnknown)
    if (isUnknown) {
      at('fingerprint').textContent = error.issues[0].message
      at('trust-heading').focus()
    } else {
      at('problem').textContent = error.message
      at('address').focus()
    }
    at('progress').textContent = ''
  } finally {
    for (const button of document.querySelectorAll('button')) button.disabled = false
  }
}

at('join').addEventListener('submit', (event) => { event.preventDefault(); void join() })
at('trust-yes').addEventListener('click', () => void join(at('fingerprint').textContent))
at('trust-no').addEventListener('click', () => { show('trusting', false); show('joining', true); at('address').focus() })
at('alone').addEventListener('submit', (event) => {
  event.preventDefault()
  at('alone-problem').textContent = ''
  ask('POST', 'alone', { email: at('email').value }).then(() => location.replace('/'), (error) => { at('alone-problem').textContent = error.message })
})

ask('GET', 'here').then((here) => {
  if (here.state === 'copying' || here.state === 'joined') return whileCopying(here)
  show('being-alone', here.state === 'empty')
  show('joining', here.can_join)
  at('address').focus()
}, (error) => { at('problem').textContent = error.message })
`
