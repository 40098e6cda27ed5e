// `gateway trigger`: causes a real event in the sandbox, through a simulated phone or an API call.
import { type Command, suggestion, textFlag, UsageError } from "../command.ts";
import { type Target, targetOf } from "../target.ts";

type Scene = { target: Target; network: Network; shop: string; contact: string; text: string };
type Network = (path: string, body: object) => Promise<Record<string, string>>;

const written = ({ network, shop, contact, text }: Scene): Promise<Record<string, string>> =>
  network(`/phones/${contact}/send`, { to: shop, text });
const own = ({ target, contact, text }: Scene) => target.gateway.messages.sendText({ to: contact, text });

const SCENES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "message.received": written,
  "message.sent": own,
  "message.status": own,
  "message.reaction": (scene) => onMessage(scene, "react", { reaction: "👍" }),
  "message.edited": (scene) => onMessage(scene, "edit", { text: `${scene.text} (edited)` }),
  "message.deleted": (scene) => onMessage(scene, "delete", {}),
  call: ({ network, shop, contact }) => network(`/phones/${contact}/call`, { to: shop }),
  "group.participants": async ({ network, shop, contact, text }) =>
    network(`/phones/${contact}/groups`, { subject: text.slice(0, 25), participants: [shop] }),
};

export const trigger: Command = {
  usage: "TYPE",
  summary: `sandbox: makes an event happen (${Object.keys(SCENES).join(", ")})`,
  flags: {
    from: { value: "PHONE", about: "the simulated phone; default: the sandbox's contact" },
    text: { value: "TEXT", about: "the text of the message" },
  },
  run: async ({ flags, words }, io) => {
    const [type = ""] = words;
    const scene = SCENES[type];
    if (scene === undefined) throw new UsageError(`unknown type ${type}${suggestion(type, Object.keys(SCENES))}`);
    const target = targetOf(flags, io);
    const network = target.sandbox?.network_url ?? null;
    if (target.sandbox === null || network === null)
      throw new UsageError("trigger needs the sandbox of this folder, because it moves a simulated phone");
    const { connection, contact } = target.sandbox.demo;
    const from = textFlag(flags, "from") ?? contact?.phone;
    if (from === undefined || connection.phone === null) throw new UsageError("this sandbox has no simulated phones");
    await scene({ target, network: networkAt(network), shop: connection.phone, contact: from, text: textFlag(flags, "text") ?? "Olá!" });
    io.print(`triggered ${type}`);
    return 0;
  },
};

async function onMessage(scene: Scene, action: string, more: object): Promise<unknown> {
  const { chat_id, message_id } = await written(scene);
  return scene.network(`/phones/${scene.contact}/${action}`, { chat_id, message_id, ...more });
}

function networkAt(url: string): Network {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { data?: Record<string, string>; error?: { message: string } };
    if (!response.ok) throw new UsageError(`the test network answered ${response.status}: ${answer.error?.message ?? ""}`);
    return answer.data ?? (answer as Record<string, string>);
  };
}
