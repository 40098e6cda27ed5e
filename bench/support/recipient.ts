// A bare client that gets what a benchmark sends, in a thread of its own: its decryption must not stand in the way of what is measured
// beside it.
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { trust } from "../../test/support/baileys-client.ts";
import { bareClient, type Linking } from "./world.ts";

type Task = Linking & { phone: string; postTo: string | null };

type Recipient = { end(): Promise<unknown> };

/** Resolves when it is linked and listening. `postTo`: where each message is posted at once, `{ "data": { "message_id", "text" } }`. */
export async function startRecipient({ ready, where }: Linking, phone: string, postTo: string | null = null): Promise<Recipient> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { ready, where, phone, postTo } satisfies Task });
  await once(thread, "message");
  return { end: () => thread.terminate() };
}

async function receive({ phone, postTo, ...linking }: Task): Promise<void> {
  trust(linking.where);
  const client = await bareClient(linking, phone, "Recipient");
  if (postTo !== null) {
    client.sock.ev.on("messages.upsert", ({ messages }) => {
      for (const { key, message } of messages) {
        if (key.fromMe !== true && message) void post(postTo, { message_id: key.id, text: message.conversation ?? "" });
      }
    });
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage("linked");
}

async function post(url: string, data: object): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data }),
  });
  await response.text();
}

if (!isMainThread) await receive(workerData as Task);
