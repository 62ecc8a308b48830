/**
 * Tasks that wait for a worker, at most `waiting`. Schools take turns: next is the longest waiting task of the school with the fewest
 * workers; of several such schools, the one served least recently. No school has more than `share` workers.
 */
export class TaskQueue<T extends { school: string }> {
  private readonly tasks: T[] = []
  /** For each school, the count of started tasks when it last got a worker. */
  private readonly servedAt = new Map<string, number>()
  private served = 0

  constructor(private readonly limits: { share: number; queued: number }) {}

  get size(): number {
    return this.tasks.length
  }

  /**
   * Adds a task. Where the queue is full, removes and returns the newest task of the school with the most waiting tasks, which may be the
   * added one.
   */
  add(task: T): T | null {
    this.tasks.push(task)
    return this.tasks.length > this.limits.queued ? this.removeFromLongest() : null
  }

  /** Removes and returns the next task, or null where none may start. `working`: the running tasks. */
  takeNext(working: Iterable<T>): T | null {
    const workers = countBySchool(working)
    let chosen: T | null = null
    let [fewest, earliest] = [this.limits.share, 0]
    for (const task of this.tasks) {
      const [has, last] = [workers.get(task.school) ?? 0, this.servedAt.get(task.school) ?? 0]
      if (has > fewest || has >= this.limits.share || (has === fewest && last >= earliest)) continue
      chosen = task
      ;[fewest, earliest] = [has, last]
    }
    if (chosen) this.serve(chosen)
    return chosen
  }

  remove(task: T): void {
    const at = this.tasks.indexOf(task)
    if (at >= 0) this.tasks.splice(at, 1)
  }

  takeAll(): T[] {
    return this.tasks.splice(0)
  }

  private serve(task: T): void {
    this.remove(task)
    this.served += 1
    this.servedAt.set(task.school, this.served)
  }

  private removeFromLongest(): T {
    const waiting = countBySchool(this.tasks)
    const longest = Math.max(...waiting.values())
    const newest = this.tasks.findLast(({ school }) => waiting.get(school) === longest) as T
    this.remove(newest)
    return newest
  }
}

function countBySchool(tasks: Iterable<{ school: string }>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { school } of tasks) counts.set(school, (counts.get(school) ?? 0) + 1)
  return counts
}
