import type { Change, Changes } from "../changes.ts";

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

/**
 * Sends `event: changed`, `data: { part, chat_id? }`. Duplicates within an event-loop turn are merged and sent after the change is
 * complete. The first event, `ready`, marks the point from which nothing is missed.
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
