// A network in its own process, for a test that kills it. Communicates with its parent over the IPC channel.
import { quietConsole } from "#root/session-bridge/process/quiet-console.ts";
import { Phones } from "#root/test-network/phone/phones.ts";
import { NETWORK_MODE } from "../../support/bridge/network-mode.ts";
import { startTestNetwork } from "#root/test-network/start.ts";

export type Order =
  | { do: "create"; pn: string; name: string }
  | { do: "scan"; pn: string; qr: string }
  | { do: "send"; pn: string; to: string; texts: string[] }
  | { do: "inbox"; pn: string };
export type Report = { order: number; answer: unknown };
export type Started = {
  wsUrl: string;
  mediaHost: string;
  rootPublicKey: string;
  caPem: string;
};

quietConsole();
const [, , stateDir = ""] = process.argv;
const { network, close: _, ...started } = await startTestNetwork({ ...NETWORK_MODE, lidOnly: false, needsToken: false, stateDir });
const phones = new Phones(network, stateDir);

async function obey(order: Order): Promise<unknown> {
  if (order.do === "create") return void (await phones.create(order.pn, { name: order.name }));
  const phone = phones.get(order.pn);
  if (!phone) return null;
  if (order.do === "scan") return phone.scan(order.qr);
  if (order.do === "inbox") return phone.idle().then(() => phone.inbox().map(({ message_id }) => message_id));
  for (const text of order.texts) {
    await phone.sendText(order.to, text);
    process.send?.({ order: -1, answer: text } satisfies Report);
  }
  return order.texts.length;
}

process.on("message", ({ order, ...rest }: Order & { order: number }) => {
  void obey(rest as Order).then((answer) => process.send?.({ order, answer } satisfies Report));
});
process.send?.({ order: 0, answer: started satisfies Started });
