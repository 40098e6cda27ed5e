// A Cloud API number's baseline, with only the unavoidable work. `/send` calls Graph and returns its response; `/webhook` verifies the
// bytes' signature and returns 200.
import { type BareWorker, hostWorker } from "./bare-worker.ts";

export type BareNumber = { graphUrl: string; phoneNumberId: string; accessToken: string; appSecret: string };

const scriptOf = ({ graphUrl, phoneNumberId, accessToken, appSecret }: BareNumber) => `const encoder = new TextEncoder();
const messages = ${JSON.stringify(`${graphUrl}/v23.0/${phoneNumberId}/messages`)};
const headers = { "content-type": "application/json", authorization: ${JSON.stringify(`Bearer ${accessToken}`)} };
const algorithm = { name: "HMAC", hash: "SHA-256" };
const secret = encoder.encode(${JSON.stringify(appSecret)});
export default {
  async fetch(request) {
    if (new URL(request.url).pathname === "/send") {
      const { to, text } = await request.json();
      const message = { messaging_product: "whatsapp", recipient_type: "individual", to: "+" + to, type: "text", text: { body: text } };
      const answer = await fetch(messages, { method: "POST", headers, body: JSON.stringify(message) });
      return new Response(await answer.text(), { status: answer.status });
    }
    const bytes = await request.arrayBuffer();
    const hex = (request.headers.get("x-hub-signature-256") ?? "").slice(7);
    const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
    const signed = await crypto.subtle.verify(algorithm, key, signature, bytes);
    return new Response("{}", { status: signed ? 200 : 401 });
  },
};`;

export function startBareCloudWorker(number: BareNumber): Promise<BareWorker> {
  return hostWorker(scriptOf(number));
}
