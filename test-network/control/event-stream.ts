// The changes of one phone as server-sent events, until the reader goes away.
import type { Change, Changes } from "../changes.ts";

/** So that a reader behind a stale connection notices. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

/**
 * `event: changed`, `data: { part, chat_id? }`: this part of the phone is new, read it again. Equal ones of one turn of the
 * event loop are sent once, after the change is complete. The first event, `ready`, says that nothing is missed from here on.
 */
export function changesOf(changes: Changes, phone: string): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(stream) {
      const write = (block: string): void => stream.enqueue(text.encode(block));
      const pending = new Set<string>();
      const flush = (): void => {
        for (const data of pending) write(`event: changed\ndata: ${data}\n\n`);
        pending.clear();
      };
      const unwatch = changes.watch((change) => {
        if (change.phone !== undefined && change.phone !== phone) return;
        if (pending.size === 0) setImmediate(flush);
        pending.add(dataOf(change));
      });
      const heartbeat = setInterval(() => write(":\n\n"), HEARTBEAT_MS);
      stop = () => {
        unwatch();
        clearInterval(heartbeat);
        pending.clear();
      };
      write(`retry: ${RETRY_MS}\nevent: ready\ndata: {}\n\n`);
    },
    cancel: () => stop(),
  });
}

function dataOf({ part, chatId }: Change): string {
  return JSON.stringify({ part, ...(chatId !== undefined && { chat_id: chatId }) });
}
