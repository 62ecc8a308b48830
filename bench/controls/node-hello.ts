import { serveOnly } from './bare.ts'

serveOnly(() => '{"message":"hello"}')
