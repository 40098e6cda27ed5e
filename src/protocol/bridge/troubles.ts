// Problems on the network, counted per bridge: for the bridge's own metrics, and for the pool, which watches all bridges.
import * as z from "zod";

/**
 * `close`: a network socket closed, by code. `ack`, `iq`: the network refused a stanza or a request, by code. `unread`: a message could not
 * be decrypted. `stanza`: a stanza could not be parsed, by tag. `unhandled`: a stanza with an unknown tag. `file`: a file was not
 * downloaded. `deaf`: an open socket delivered nothing and was cut. `app_state`: a collection could not be read.
 */
export const TROUBLE_KINDS = ["close", "ack", "iq", "unread", "stanza", "unhandled", "file", "deaf", "app_state"] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** A session counts only once per kind and code within this window. */
export const TROUBLE_WINDOW_MS = 600_000;
export const MAX_TROUBLES = 250;

/** `kind` is a string: a newer bridge may report others. `total`: since its start; `sessions`: within the window. */
export const Trouble = z.object({
  kind: z.string().max(20),
  code: z.string().max(40),
  total: z.number().int().nonnegative(),
  sessions: z.number().int().nonnegative(),
});
export type Trouble = z.infer<typeof Trouble>;
