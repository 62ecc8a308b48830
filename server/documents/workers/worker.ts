import { runTasks } from './run-tasks.ts'
import { tasks } from './tasks.ts'

runTasks(tasks)
