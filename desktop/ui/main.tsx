import './components/tokens.css'
import { openApp } from './app.tsx'

const place = document.getElementById('app')
if (!place) throw new Error('the page has no place for the app')
await openApp(place)
