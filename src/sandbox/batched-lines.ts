// Batches the sandbox's request log, because each write wakes two processes, which takes more time than handling the request.
import type { WriteLine } from "../http/request-log.ts";

const FLUSH_DELAY_MS = 50;
const MAX_LINES = 500;

export function batchLines(write: (lines: string) => void): WriteLine {
  let lines: string[] = [];
  let flushExpectedBy = 0;
  const flush = () => {
    if (lines.length > 0) write(lines.join("\n"));
    lines = [];
  };
  return (line, c) => {
    lines.push(line);
    if (lines.length >= MAX_LINES) return flush();
    const now = Date.now();
    // If the expected flush is overdue, schedules another one, because the request that should have flushed may have been aborted.
    if (lines.length > 1 && now < flushExpectedBy) return;
    flushExpectedBy = now + 4 * FLUSH_DELAY_MS;
    c.executionCtx.waitUntil(scheduler.wait(FLUSH_DELAY_MS).then(flush));
  };
}
