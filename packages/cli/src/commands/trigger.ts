// `gateway trigger` causes a real event in the sandbox, or posts a signed example to a local URL.
import { randomBytes } from "node:crypto";
import { type Command, type Flags, type Io, listFlag, suggestion, textFlag, UsageError } from "../command.ts";
import { answerText, forward, givenSecret, isAccepted, SECRET_VARIABLE, secretFor } from "../forwarding/forward.ts";
import samples from "../generated/samples.json" with { type: "json" };
import { keyOf, targetOf } from "../target.ts";
import { type Network, NetworkRefusal, SCENES } from "./scenes.ts";

const EXAMPLES: Readonly<Record<string, object>> = samples;
/** A simulated phone that only reads. The sandbox's Eco contact echoes every message, so a program that replies to it would never stop. */
const WRITER = { phone: "5511900000007", name: "Ana" };
const CONFLICT = 409;

export const trigger: Command = {
  usage: "TYPE [--local URL]",
  summary: "makes an event happen in the sandbox, or posts a signed example; without TYPE, lists the types",
  flags: {
    from: { value: "PHONE", about: `the simulated phone, created if it is new; default: ${WRITER.name}, ${WRITER.phone}` },
    text: { value: "TEXT", about: "the text of the message" },
    local: { value: "URL", about: "posts the documented example of this type there instead; needs no gateway" },
    secret: {
      value: "SECRET",
      about: `--local: signs with this secret; default: ${SECRET_VARIABLE}, or the one of \`listen --forward-to URL\``,
    },
    header: { value: "NAME:VALUE", many: true, about: "--local: adds a header; repeatable" },
    "allow-remote": { about: "--local: allows a URL that is not on this machine" },
  },
  run: async ({ flags, words }, io) => {
    const [type] = words;
    if (type === undefined) {
      for (const name of Object.keys(EXAMPLES)) io.print(name);
      return 0;
    }
    if (!Object.hasOwn(EXAMPLES, type)) throw new UsageError(`unknown type ${type}${suggestion(type, Object.keys(EXAMPLES))}`);
    const local = textFlag(flags, "local");
    if (local !== undefined) return postExample(type, local, flags, io);
    const scene = SCENES[type];
    if (scene === undefined) throw new UsageError(`${type} is sent by the dashboard only: add --local URL to post an example`);
    const target = targetOf(flags, io);
    const network = target.sandbox?.network_url ?? null;
    if (target.sandbox === null || network === null)
      throw new UsageError("trigger needs the sandbox of this folder, because it moves a simulated phone; or add --local URL");
    const { phone: shop } = target.sandbox.demo.connection;
    if (shop === null) throw new UsageError("this sandbox has no simulated phones");
    const contact = textFlag(flags, "from") ?? WRITER.phone;
    const post = networkAt(network, io.signal);
    await createIfNew(post, contact === WRITER.phone ? WRITER : { phone: contact, name: contact });
    await scene({ target, network: post, shop, contact, text: textFlag(flags, "text") ?? "Olá!", signal: io.signal });
    io.print(`triggered ${type}`);
    return 0;
  },
};

async function createIfNew(network: Network, person: { phone: string; name: string }): Promise<void> {
  try {
    await network("/phones", person);
  } catch (error) {
    if (!(error instanceof NetworkRefusal && error.status === CONFLICT)) throw error;
  }
}

async function postExample(type: string, url: string, flags: Flags, io: Io): Promise<number> {
  const given = givenSecret("connection", flags, io);
  const secret = secretFor(url, given, flags, given === undefined ? keyOf(flags, io) : null);
  const id = `msg_${randomBytes(16).toString("hex")}`;
  const body = JSON.stringify({ ...EXAMPLES[type], id, created_at: new Date().toISOString() });
  const answer = await forward({ id, body }, { url, scheme: "connection", secret, headers: listFlag(flags, "header") }, io.signal);
  io.print(`${type} ${id} to ${url}: ${answerText(answer)}`);
  return isAccepted(answer) ? 0 : 1;
}

function networkAt(url: string, signal: AbortSignal): Network {
  return async (path, body) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
    }).catch(() => {
      signal.throwIfAborted();
      throw new NetworkRefusal("the test network does not answer: start the sandbox again");
    });
    const answer = (await response.json()) as { data?: Record<string, string>; error?: { message: string } };
    if (!response.ok)
      throw new NetworkRefusal(`the test network answered ${response.status}: ${answer.error?.message ?? ""}`, response.status);
    return answer.data ?? (answer as Record<string, string>);
  };
}
