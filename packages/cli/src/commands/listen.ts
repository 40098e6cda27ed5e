// `gateway listen`: forwards the number's events to a local URL, in order, and continues where it stopped.
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import { connectionEventTypes, type GapEvent, type ListenState, type RawEvent } from "@gateway/sdk";
import { type Command, type Flags, type Io, listFlag, suggestion, textFlag, UsageError } from "../command.ts";
import { isSecret, localSecret, signedHeaders } from "../signing.ts";
import { targetOf } from "../target.ts";

const FORWARD_TIMEOUT_MS = 15_000;
const TIMED_OUT = 124;

export const listen: Command = {
  usage: "[--forward-to URL]",
  summary: "prints the number's events, and posts them to a local URL, signed like webhooks",
  flags: {
    "forward-to": { value: "URL", about: "posts each event there" },
    events: { value: "TYPES", about: "only these types, separated by commas" },
    secret: { value: "SECRET", about: "signs with this secret, for example your webhook's own; default: one that stays the same" },
    "print-secret": { about: "prints the signing secret, and exits" },
    header: { value: "NAME:VALUE", many: true, about: "adds a header to each request; repeatable" },
    json: { about: "prints one JSON object per line" },
    until: { value: "TYPE", about: "exits with 0 after an event of this type" },
    timeout: { value: "SECONDS", about: "exits with 124 after this time" },
    "from-now": { about: "starts with new events instead of where the last run stopped" },
    "allow-remote": { about: "allows a URL that is not on this machine" },
  },
  run: async ({ flags }, io) => {
    const { apiKey, baseUrl, gateway } = targetOf(flags, io);
    const forwardTo = textFlag(flags, "forward-to") ?? null;
    const secret = secretOf(flags, apiKey, forwardTo);
    if (flags["print-secret"] === true) {
      io.print(secret ?? "");
      return 0;
    }
    const types = typesOf(flags);
    const until = textFlag(flags, "until");
    if (until !== undefined && types !== null && !types.includes(until))
      throw new UsageError(`--until ${until}: --events excludes that type`);
    const timeout = timeoutOf(flags);
    const signal = AbortSignal.any([io.signal, ...(timeout === null ? [] : [timeout])]);
    const show = flags["json"] === true ? jsonLines(io) : textLines(io, secret);
    const events = gateway.events.listenRaw({
      name: "gateway listen",
      signal,
      onState: show.state,
      ...(types === null ? {} : { types }),
      ...(flags["from-now"] === true || forwardTo === null
        ? {}
        : { checkpoint: fileCheckpoint(placeFile(io, { apiKey, baseUrl, forwardTo, types })) }),
    });
    for await (const event of events) {
      show.event(event);
      if (event.id === null) continue;
      if (forwardTo !== null && secret !== null) show.forwarded(event, await forward(event, forwardTo, secret, listFlag(flags, "header")));
      if (event.type === until) return 0;
    }
    return timeout?.aborted === true ? TIMED_OUT : 0;
  },
};

export const events: Command = {
  ...listen,
  usage: "",
  summary: "prints the number's events as JSON lines",
  flags: { events: listen.flags["events"] ?? { about: "" } },
  run: ({ flags }, io) => listen.run({ flags: { ...flags, json: true }, words: [] }, io),
};

type Forwarded = { status: number; ms: number } | { error: string; ms: number };

/** Sends an event to the URL once and shows the response. A failed event is not sent again. */
async function forward({ id, body }: RawEvent, url: string, secret: string, added: readonly string[]): Promise<Forwarded> {
  const startedAt = performance.now();
  const ms = (): number => Math.round(performance.now() - startedAt);
  const headers = new Headers(signedHeaders(secret, id, body, Date.now()));
  for (const header of added) headers.set(...nameAndValue(header));
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, ms: ms() };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { error: code ?? (error as Error).name, ms: ms() };
  }
}

function nameAndValue(header: string): [string, string] {
  const [, name = "", value = ""] = /^([^:\s]+):\s*(.*)$/.exec(header) ?? [];
  if (name === "") throw new UsageError(`--header ${header}: write NAME:VALUE`);
  return [name, value];
}

function secretOf(flags: Flags, apiKey: string, forwardTo: string | null): string | null {
  const given = textFlag(flags, "secret");
  if (given !== undefined && !isSecret(given)) throw new UsageError("--secret: write whsec_ and the Base64 text behind it");
  if (forwardTo === null) {
    if (flags["print-secret"] === true) throw new UsageError("--print-secret needs --forward-to");
    return null;
  }
  if (!/^https?:/.test(forwardTo) || !URL.canParse(forwardTo)) throw new UsageError(`--forward-to ${forwardTo}: write an http address`);
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(forwardTo).hostname);
  if (!isLocal && flags["allow-remote"] !== true)
    throw new UsageError("messages would leave this machine: add --allow-remote if you want that");
  return given ?? localSecret(apiKey, forwardTo);
}

function typesOf(flags: Flags): string[] | null {
  const types = textFlag(flags, "events")?.split(",") ?? null;
  for (const type of [...(types ?? []), textFlag(flags, "until") ?? "message.received"])
    if (!connectionEventTypes.includes(type)) throw new UsageError(`unknown event type ${type}${suggestion(type, connectionEventTypes)}`);
  return types;
}

function timeoutOf(flags: Flags): AbortSignal | null {
  const given = textFlag(flags, "timeout");
  if (given === undefined) return null;
  const seconds = Number(given);
  if (!(seconds > 0)) throw new UsageError(`--timeout ${given}: write a number of seconds`);
  return AbortSignal.timeout(seconds * 1000);
}

/** Each combination of gateway, key, URL and event types has its own file. */
function placeFile({ env }: Io, of: object): string {
  const folder = env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state");
  const name = createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 16);
  return join(folder, "gateway", `listen-${name}`);
}

type Lines = {
  state: (state: ListenState) => void;
  event: (event: RawEvent | GapEvent) => void;
  forwarded: (event: RawEvent, answer: Forwarded) => void;
};

function jsonLines({ print }: Io): Lines {
  const line = (value: object): void => print(JSON.stringify(value));
  return {
    state: (state) => line(state),
    event: (event) => line(event.id === null ? event : (JSON.parse(event.body) as object)),
    forwarded: ({ id }, answer) => line({ forwarded: id, ...answer }),
  };
}

function textLines({ print, warn }: Io, secret: string | null): Lines {
  const time = (): string => new Date().toTimeString().slice(0, 8);
  return {
    state: (state) => {
      if (state.state === "ready") print(`Ready.${secret === null ? "" : ` Signing secret ${secret} (stays the same for this URL)`}`);
      if (state.state === "lost") warn(`${time()} --- ${state.reason}, resuming`);
      if (state.state === "resumed") warn(`${time()} --- back after ${(state.awayMs / 1000).toFixed(1)} s`);
    },
    event: (event) => {
      if (event.id !== null) return print(`${time()} --> ${event.type}  ${event.id}`);
      const { missed, since, until } = event;
      warn(`${time()} !!! ${missed ?? "some"} events are missing, between ${since ?? "the last run"} and ${until ?? "now"}`);
    },
    forwarded: (_event, answer) => print(`${time()} <-- ${"status" in answer ? answer.status : answer.error}  ${answer.ms} ms`),
  };
}
