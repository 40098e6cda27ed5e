// Requests queued stanzas after an absence. The network sends as many as requested, but the library requests only one batch.
import { ALL_WA_PATCH_NAMES, getBinaryNodeChild, type BinaryNode, type WASocket } from "baileys";
import type { Logger } from "pino";

const BATCH = 100;
const SILENCE_MS = 10_000;
const MAX_REMINDERS = 6;

/** Requests the next batch once everything received is stored. If the network stays silent, reports the queue as ended. */
export function pullOfflineBatches(sock: WASocket, logger: Logger): () => void {
  const emit = sock.ws.emit.bind(sock.ws);
  let pulling = false;
  let expected = 0;
  let reminders = 0;
  let silence: NodeJS.Timeout | undefined;

  const ask = (): void => {
    expected = BATCH;
    const content = [{ tag: "offline_batch", attrs: { count: String(BATCH) } }];
    sock.sendNode({ tag: "ib", attrs: {}, content }).catch(() => undefined);
  };
  const listen = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      reminders += 1;
      if (reminders > MAX_REMINDERS) return endAnyway();
      if (pulling) ask();
      listen();
    }, SILENCE_MS).unref();
  };
  const endAnyway = (): void => {
    logger.warn("network.offline_unended");
    const { accountSyncCounter } = sock.authState.creds;
    emit("CB:ib,,offline", { tag: "ib", attrs: {}, content: [{ tag: "offline", attrs: { count: "0" } }] } satisfies BinaryNode);
    // On a fresh device, the phone's first history normally starts this sync, but that history may already have arrived.
    if (!(accountSyncCounter > 0)) sock.resyncAppState([...ALL_WA_PATCH_NAMES], true).catch(() => undefined);
  };
  const came = (): void => {
    reminders = 0;
    expected -= 1;
    if (expected <= 0) ask();
    listen();
  };
  const end = (): void => {
    pulling = false;
    clearTimeout(silence);
  };

  sock.ws.on("CB:ib,,offline_preview", (node: BinaryNode) => {
    const count = Number(getBinaryNodeChild(node, "offline_preview")?.attrs["count"] ?? 0);
    logger.info({ count }, "network.offline_waiting");
    pulling = true;
    expected = BATCH;
    listen();
  });
  sock.ws.on("CB:success", listen);
  sock.ws.on("CB:ib,,offline", end);
  sock.ws.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const counts = pulling && event === "frame" && isOffline(args[0]);
    const handled = emit(event, ...args);
    if (counts) queueMicrotask(() => pulling && came());
    return handled;
  };
  return end;
}

function isOffline(frame: unknown): boolean {
  const { attrs } = (frame ?? {}) as Partial<BinaryNode>;
  return attrs?.["offline"] !== undefined;
}
