// A bare client that receives a benchmark's messages in its own process, so that its decryption does not slow down the measurement.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { trust } from "../../test/support/bridge/baileys-client.ts";
import { bareClient, type LinkTarget } from "./bench-sandbox.ts";

type Task = LinkTarget & { phone: string; postTo: string | null };

const HERE = fileURLToPath(import.meta.url);
const LINKED = "linked";

type Recipient = { pid: number | null; end(): Promise<unknown> };

/** Resolves once linked and listening. `postTo`: URL that gets each message immediately, as `{ "data": { "message_id", "text" } }`. */
export async function startRecipient({ ready, where }: LinkTarget, phone: string, postTo: string | null = null): Promise<Recipient> {
  const client = fork(HERE, [JSON.stringify({ ready, where, phone, postTo } satisfies Task)]);
  const [linked] = (await Promise.race([once(client, "message"), once(client, "exit")])) as [unknown];
  if (linked !== LINKED) throw new Error("the recipient could not be linked");
  return {
    pid: client.pid ?? null,
    end: () => {
      const gone = once(client, "exit");
      client.kill();
      return gone;
    },
  };
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
  process.send?.(LINKED);
}

async function post(url: string, data: object): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data }),
  });
  await response.text();
}

if (process.argv[1] === HERE) {
  // Exits if its benchmark is killed.
  process.once("disconnect", () => process.exit(0));
  await receive(JSON.parse(process.argv[2] ?? "") as Task);
}
