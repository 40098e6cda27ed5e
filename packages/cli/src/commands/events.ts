// `gateway events tail` prints the stream, and `gateway events resend` posts a forwarded event once more.
import { type Command, listFlag, textFlag, UsageError } from "../command.ts";
import { answerText, forward, givenSecret, isAccepted, secretFor } from "../forwarding/forward.ts";
import { keptEvent } from "../forwarding/history.ts";
import { accountKeyOf, keyOf } from "../target.ts";
import { listen } from "./listen.ts";

const { secret, header, "allow-remote": allowRemote, events: types, until, timeout, instance } = listen.flags;

export const events: Command = {
  usage: "[tail | resend ID]",
  summary: "tail: prints the number's events as JSON lines; resend: posts an event again that `listen` forwarded",
  flags: {
    ...(types === undefined ? {} : { events: types }),
    ...(instance === undefined ? {} : { instance }),
    ...(until === undefined ? {} : { until }),
    ...(timeout === undefined ? {} : { timeout }),
    "forward-to": { value: "URL", about: "resend: another URL than the event was posted to before" },
    ...(secret === undefined ? {} : { secret }),
    ...(header === undefined ? {} : { header }),
    ...(allowRemote === undefined ? {} : { "allow-remote": allowRemote }),
  },
  run: async ({ flags, words: [action = "tail", id, ...rest] }, io) => {
    if (action === "tail" && id === undefined) {
      const { events: only, until: last, timeout: limit, url, instance } = flags;
      return listen.run({ flags: { events: only, until: last, timeout: limit, url, instance, json: true }, words: [] }, io);
    }
    if (action !== "resend" || id === undefined || rest.length > 0) throw new UsageError("write events tail, or events resend ID");
    const event = keptEvent(io, id);
    if (event === null) throw new UsageError(`${id} is not among the last 200 events that listen --forward-to posted on this machine`);
    const url = textFlag(flags, "forward-to") ?? event.url;
    const { scheme } = event;
    const key = scheme === "account" ? accountKeyOf(flags, io) : keyOf(flags, io);
    const secretOfUrl = secretFor(url, givenSecret(scheme, flags, io), flags, key);
    const to = { url, scheme, secret: secretOfUrl, headers: listFlag(flags, "header") };
    const answer = await forward(event, to, io.signal);
    io.print(`${event.type} ${event.id} to ${url}: ${answerText(answer)}`);
    return isAccepted(answer) ? 0 : 1;
  },
};
