// `gateway trigger`: causes a real event in the sandbox, through a simulated phone or an API call.
import { type Command, suggestion, textFlag, UsageError } from "../command.ts";
import { targetOf } from "../target.ts";
import { type Network, NetworkRefusal, SCENES } from "./scenes.ts";

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

function networkAt(url: string): Network {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { data?: Record<string, string>; error?: { message: string } };
    if (!response.ok) throw new NetworkRefusal(`the test network answered ${response.status}: ${answer.error?.message ?? ""}`);
    return answer.data ?? (answer as Record<string, string>);
  };
}
