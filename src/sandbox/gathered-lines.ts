// The sandbox's request log leaves in handfuls: each write wakes two processes that pass it on, and on one machine that costs
// more than answering the request did.
import type { WriteLine } from "../http/request-log.ts";

const GATHERED_FOR_MS = 50;
const MOST = 500;

/** `write` gets lines joined by line feeds, all of them within moments. */
export function gatherLines(write: (lines: string) => void): WriteLine {
  let lines: string[] = [];
  let writtenBy = 0;
  const flush = () => {
    if (lines.length > 0) write(lines.join("\n"));
    lines = [];
  };
  return (line, c) => {
    lines.push(line);
    if (lines.length >= MOST) return flush();
    const now = Date.now();
    // The request that was to write them may have been cut off: then the next one does.
    if (lines.length > 1 && now < writtenBy) return;
    writtenBy = now + 4 * GATHERED_FOR_MS;
    c.executionCtx.waitUntil(scheduler.wait(GATHERED_FOR_MS).then(flush));
  };
}
