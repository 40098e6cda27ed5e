// `gateway send` and `gateway api` make a single API call.
import { randomUUID } from "node:crypto";
import { GatewayError } from "@gateway/sdk";
import { type Command, textFlag, UsageError } from "../command.ts";
import { targetOf } from "../target.ts";

export const send: Command = {
  usage: "--to PHONE TEXT",
  summary: "sends a text",
  flags: {
    to: { value: "PHONE", about: "digits with the country code, or a chat id" },
    key: { value: "TEXT", about: "Idempotency-Key, for a send that you may repeat" },
  },
  run: async ({ flags, words }, io) => {
    const to = textFlag(flags, "to");
    const text = words.join(" ");
    if (to === undefined || text === "") throw new UsageError("write --to PHONE and the text");
    const key = textFlag(flags, "key");
    const recipient = to.includes("@") ? { chat_id: to } : { to };
    const sent = await targetOf(flags, io).gateway.messages.sendText(
      { ...recipient, text },
      { signal: io.signal, ...(key === undefined ? {} : { idempotencyKey: key }) },
    );
    io.print(JSON.stringify(sent));
    return 0;
  },
};

export const api: Command = {
  usage: "METHOD PATH",
  summary: "calls any route of the Connection API, and prints the answer",
  flags: { data: { value: "JSON", about: "the body" }, yes: { about: "confirms a DELETE" } },
  run: async ({ flags, words }, io) => {
    const [method = "", path = ""] = words;
    if (!/^(get|post|put|patch|delete)$/i.test(method) || !path.startsWith("/"))
      throw new UsageError("write METHOD and /path, as in: api GET /chats");
    // URL parsers resolve dots and cut off fragments, so the call would reach a different route from the one that was typed.
    if (/^[^?]*[/\\](\.|%2e){1,2}([/\\?]|$)|#/i.test(path)) throw new UsageError(`${path} contains . or .. as a segment, or #`);
    if (/^delete$/i.test(method) && flags["yes"] !== true) throw new UsageError("DELETE removes something: add --yes");
    const { apiKey, baseUrl } = targetOf(flags, io);
    const body = textFlag(flags, "data");
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/api/v1${path}`, {
      method: method.toUpperCase(),
      redirect: "error",
      headers: {
        "x-api-key": apiKey,
        "accept-language": "en",
        ...(method.toUpperCase() === "GET" ? {} : { "idempotency-key": randomUUID() }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      signal: io.signal,
    }).catch(() => {
      throw new GatewayError(`${baseUrl} does not answer`);
    });
    io.print(await response.text());
    if (!response.ok) io.warn(`${response.status} ${response.statusText}`);
    return response.ok ? 0 : 1;
  },
};
