// `gateway trigger`: causes a real event in the sandbox, or posts a signed example to a local URL.
import { randomBytes } from "node:crypto";
import { type Command, type Flags, type Io, listFlag, suggestion, textFlag, UsageError } from "../command.ts";
import { answerText, forward, secretFor } from "../forwarding/forward.ts";
import samples from "../generated/samples.json" with { type: "json" };
import { keyOf, targetOf } from "../target.ts";
import { type Network, NetworkRefusal, SCENES } from "./scenes.ts";

const EXAMPLES: Readonly<Record<string, object>> = samples;

export const trigger: Command = {
  usage: "TYPE [--local URL]",
  summary: `makes an event happen in the sandbox, or posts a signed example (${Object.keys(EXAMPLES).join(", ")})`,
  flags: {
    from: { value: "PHONE", about: "the simulated phone; default: the sandbox's contact" },
    text: { value: "TEXT", about: "the text of the message" },
    local: { value: "URL", about: "posts the documented example of this type there instead; needs no gateway" },
    secret: { value: "SECRET", about: "--local: signs with this secret; default: the one of `listen --forward-to URL`" },
    header: { value: "NAME:VALUE", many: true, about: "--local: adds a header; repeatable" },
    "allow-remote": { about: "--local: allows a URL that is not on this machine" },
  },
  run: async ({ flags, words }, io) => {
    const [type = ""] = words;
    if (!Object.hasOwn(EXAMPLES, type)) throw new UsageError(`unknown type ${type}${suggestion(type, Object.keys(EXAMPLES))}`);
    const local = textFlag(flags, "local");
    if (local !== undefined) return postExample(type, local, flags, io);
    const scene = SCENES[type];
    if (scene === undefined) throw new UsageError(`${type} is sent by the dashboard only: add --local URL to post an example`);
    const target = targetOf(flags, io);
    const network = target.sandbox?.network_url ?? null;
    if (target.sandbox === null || network === null)
      throw new UsageError("trigger needs the sandbox of this folder, because it moves a simulated phone; or add --local URL");
    const { connection, contact } = target.sandbox.demo;
    const from = textFlag(flags, "from") ?? contact?.phone;
    if (from === undefined || connection.phone === null) throw new UsageError("this sandbox has no simulated phones");
    await scene({ target, network: networkAt(network), shop: connection.phone, contact: from, text: textFlag(flags, "text") ?? "Olá!" });
    io.print(`triggered ${type}`);
    return 0;
  },
};

async function postExample(type: string, url: string, flags: Flags, io: Io): Promise<number> {
  const secret = secretFor(url, flags, textFlag(flags, "secret") === undefined ? keyOf(flags, io) : null);
  const id = `msg_${randomBytes(16).toString("hex")}`;
  const body = JSON.stringify({ ...EXAMPLES[type], id, created_at: new Date().toISOString() });
  const answer = await forward({ id, body }, { url, secret, headers: listFlag(flags, "header") });
  io.print(`${type} ${id} to ${url}: ${answerText(answer)}`);
  return "status" in answer && answer.status < 300 ? 0 : 1;
}

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
