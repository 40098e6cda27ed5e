// `gateway listen` forwards the number's events to a local URL in order. After a restart, it continues where it stopped.
import { fileCheckpoint } from "@gateway/sdk/checkpoint";
import { type GapEvent, ListenerTakenError, type ListenState, type RawEvent } from "@gateway/sdk";
import { type Command, type Flags, type Io, listFlag, suggestion, textFlag, UsageError } from "../command.ts";
import {
  answerText,
  type Destination,
  forward,
  type Forwarded,
  givenSecret,
  isAccepted,
  SECRET_VARIABLE,
  secretFor,
} from "../forwarding/forward.ts";
import { History, placeFile } from "../forwarding/history.ts";
import { printable, quoted } from "../printable.ts";
import { sourceOf } from "../target.ts";

const TIMED_OUT = 124;

export const listen: Command = {
  usage: "[--forward-to URL]",
  summary: "prints the number's events, and posts them to a local URL, signed like webhooks",
  flags: {
    "forward-to": { value: "URL", about: "posts each event there" },
    instance: { value: "ID", about: "listens to an instance of the account, with an account key; signs like the Account API" },
    events: { value: "TYPES", about: "only these types, separated by commas" },
    secret: { value: "SECRET", about: `signs with this secret; default: ${SECRET_VARIABLE}, or one that stays the same` },
    "print-secret": { about: "prints the secret that stays the same, and exits" },
    header: { value: "NAME:VALUE", many: true, about: "adds a header to each request; repeatable" },
    json: { about: "prints one JSON object per line" },
    until: { value: "TYPE", about: "exits with 0 after an event of this type" },
    timeout: { value: "SECONDS", about: "exits with 124 after this time" },
    "from-now": { about: "starts with new events instead of where the last run stopped" },
    "no-history": { about: "does not keep the last events for `events resend`" },
    "allow-remote": { about: "allows a URL that is not on this machine" },
  },
  run: async ({ flags }, io) => {
    const { scheme, apiKey, baseUrl, events: api, types: known } = sourceOf(flags, io);
    const url = textFlag(flags, "forward-to");
    // Without a URL, nothing is signed, so a secret in the environment is ignored.
    const given = url === undefined && flags["secret"] === undefined ? undefined : givenSecret(scheme, flags, io);
    if (url === undefined && given !== undefined) throw new UsageError("--secret needs --forward-to");
    const to: Destination | null =
      url === undefined ? null : { url, scheme, secret: secretFor(url, given, flags, apiKey), headers: listFlag(flags, "header") };
    if (flags["print-secret"] === true) {
      if (to === null) throw new UsageError("--print-secret needs --forward-to");
      if (given !== undefined) throw new UsageError(`--print-secret prints no given secret: omit --secret and ${SECRET_VARIABLE}`);
      io.print(to.secret);
      return 0;
    }
    const types = typesOf(flags, known);
    const until = textFlag(flags, "until");
    if (until !== undefined && types !== null && !types.includes(until))
      throw new UsageError(`--until ${until}: --events excludes that type`);
    const timeout = timeoutOf(flags);
    const awaited = new AbortController();
    const signal = AbortSignal.any([io.signal, awaited.signal, ...(timeout === null ? [] : [timeout])]);
    const signing = given === undefined ? `Signing secret ${to?.secret} (stays the same for this URL)` : "It signs with the given secret.";
    const show = flags["json"] === true ? jsonLines(io) : textLines(io, to === null ? "" : ` ${signing}`);
    const place = to === null ? null : placeFile(io, { apiKey, baseUrl, instance: textFlag(flags, "instance"), forwardTo: to.url, types });
    const history = place === null || flags["no-history"] === true ? null : new History(place);
    const events = api.listenRaw({
      name: "gateway listen",
      signal,
      onState: show.state,
      ...(types === null ? {} : { types }),
      ...(place === null || flags["from-now"] === true ? {} : { checkpoint: fileCheckpoint(place) }),
    });
    try {
      for await (const event of events) {
        if (awaited.signal.aborted) break;
        show.event(event);
        if (event.id === null) continue;
        if (to !== null) {
          history?.add({ ...event, url: to.url, scheme });
          show.forwarded(event, await forward(event, to));
        }
        // Does not return yet. The loop stores this event's position only when it asks for the next event, so the next run would repeat it.
        if (event.type === until) awaited.abort();
      }
    } catch (error) {
      if (!(error instanceof ListenerTakenError)) throw error;
      io.warn(`${error.message}, and gets the events from now on. Use another URL, or --from-now for a listener of its own.`);
      return 1;
    }
    return timeout?.aborted === true && !awaited.signal.aborted ? TIMED_OUT : 0;
  },
};

function typesOf(flags: Flags, known: readonly string[]): string[] | null {
  const types = textFlag(flags, "events")?.split(",") ?? null;
  for (const type of [...(types ?? []), textFlag(flags, "until") ?? "message.received"])
    if (!known.includes(type)) throw new UsageError(`unknown event type ${type}${suggestion(type, known)}`);
  return types;
}

function timeoutOf(flags: Flags): AbortSignal | null {
  const given = textFlag(flags, "timeout");
  if (given === undefined) return null;
  const seconds = Number(given);
  if (!(seconds > 0)) throw new UsageError(`--timeout ${given}: write a number of seconds`);
  return AbortSignal.timeout(seconds * 1000);
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

function textLines({ print, warn }: Io, signing: string): Lines {
  const time = (): string => new Date().toTimeString().slice(0, 8);
  return {
    state: (state) => {
      if (state.state === "ready") print(`Ready.${signing}`);
      if (state.state === "lost") warn(`${time()} --- ${state.reason}, resuming`);
      if (state.state === "resumed") warn(`${time()} --- back after ${(state.awayMs / 1000).toFixed(1)} s`);
    },
    event: (event) => {
      if (event.id !== null) return print(`${time()} --> ${printable(event.type)}  ${event.id}  ${summary(event.body)}`.trimEnd());
      const { missed, since, until } = event;
      warn(`${time()} !!! ${missed ?? "some"} events are missing, between ${since ?? "the last run"} and ${until ?? "now"}`);
    },
    forwarded: ({ id }, answer) => {
      const hint = isAccepted(answer) ? "" : `  (gateway events resend ${id} repeats it)`;
      print(`${time()} <-- ${answerText(answer)}${hint}`);
    },
  };
}

/** The other person's number and the text, if the event contains them. */
function summary(body: string): string {
  const { data } = JSON.parse(body) as { data?: { from?: unknown; text?: unknown } };
  const [from, text] = [data?.from, data?.text].map((value) => (typeof value === "string" ? value : null));
  return [printable(from ?? ""), quoted(text)].filter((part) => part !== "").join(" ");
}
