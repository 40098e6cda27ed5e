// What goes wrong on the network, as a bridge counts it: for its own metrics, and for the pool, which sees all bridges.
import { z } from "zod";

/**
 * `close`: a network socket closed, by code. `ack`, `iq`: the network refused a stanza or a request, by code. `unread`: what could not be
 * decrypted. `stanza`: something that the network said was not understood, by its tag. `unhandled`: a tag that nobody here knows.
 * `file`: a file was not fetched. `deaf`: an open line brought nothing and was cut. `app_state`: a collection could not be read.
 */
export const TROUBLE_KINDS = ["close", "ack", "iq", "unread", "stanza", "unhandled", "file", "deaf", "app_state"] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];

/** In this time sessions are counted once for each kind and code. */
export const TROUBLE_WINDOW_MS = 600_000;
/** Kinds and codes that one report names at most. */
export const MAX_TROUBLES = 250;

/** Strings, not kinds: a newer bridge may have others. `total`: since its process began; `sessions`: in the window. */
export const Trouble = z.object({
  kind: z.string().max(20),
  code: z.string().max(40),
  total: z.number().int().nonnegative(),
  sessions: z.number().int().nonnegative(),
});
export type Trouble = z.infer<typeof Trouble>;
