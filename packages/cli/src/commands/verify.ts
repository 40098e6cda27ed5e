// `gateway verify` checks the signature of a received webhook, and explains a failure.
import { readFileSync } from "node:fs";
import { verifyAccountWebhook, verifyConnectionWebhook, WebhookError } from "@gateway/sdk/webhooks";
import { type Command, type Flags, textFlag, UsageError } from "../command.ts";
import { SECRET_VARIABLE, webhookSecret } from "../forwarding/forward.ts";

export const verify: Command = {
  usage: "--signature TEXT FILE",
  summary: "checks a webhook's signature, and explains why it fails; FILE has the raw body",
  flags: {
    secret: { value: "SECRET", about: `the webhook's secret; default: ${SECRET_VARIABLE}, which other users of the machine do not see` },
    signature: { value: "TEXT", about: "the header webhook-signature, or x-service-signature" },
    id: { value: "TEXT", about: "the header webhook-id (Connection API)" },
    timestamp: { value: "TEXT", about: "the header webhook-timestamp (Connection API)" },
  },
  run: async ({ flags, words }, io) => {
    const [file] = words;
    const [secret, signature] = [webhookSecret(flags, io), textFlag(flags, "signature")];
    if (file === undefined || signature === undefined) throw new UsageError("write --signature and the file");
    if (secret === undefined) throw new UsageError(`set ${SECRET_VARIABLE} to the webhook's secret, or write --secret`);
    const body = bytesOf(file);
    const problem = await problemOf(body, secret, signature, flags);
    if (problem === null) {
      io.print("The signature is valid.");
      return 0;
    }
    io.print(problem);
    for (const { name, bytes } of alterations(body))
      if ((await problemOf(bytes, secret, signature, flags)) === null)
        io.print(`It is valid for the body ${name}: sign and check the raw bytes.`);
    return 1;
  },
};

function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(file));
  } catch {
    throw new UsageError(`${file} cannot be read`);
  }
}

async function problemOf(body: Uint8Array<ArrayBuffer>, secret: string, signature: string, flags: Flags): Promise<string | null> {
  const id = textFlag(flags, "id");
  try {
    if (id === undefined) await verifyAccountWebhook(body, { "x-service-signature": signature }, secret);
    else {
      const headers = { "webhook-id": id, "webhook-timestamp": textFlag(flags, "timestamp"), "webhook-signature": signature };
      await verifyConnectionWebhook(body, headers, secret);
    }
    return null;
  } catch (error) {
    if (error instanceof WebhookError) return error.message;
    if (error instanceof SyntaxError) return "The signature is valid, but the body is not JSON.";
    throw error;
  }
}

/** Changes that a framework or an editor makes to a body. */
function alterations(body: Uint8Array): { name: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const text = new TextDecoder().decode(body);
  const bytes = (changed: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(changed);
  const made = [{ name: "without the line break at its end", bytes: bytes(text.replace(/\r?\n$/, "")) }];
  try {
    made.push({ name: "parsed and written again without spaces", bytes: bytes(JSON.stringify(JSON.parse(text))) });
  } catch {
    // The body is not JSON, so no framework can have parsed it.
  }
  return made.filter((one) => Buffer.compare(one.bytes, body) !== 0);
}
