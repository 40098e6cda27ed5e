import { z } from "zod";
import { Person } from "../ids.ts";
import { type CommandRow, nothing } from "./row.ts";

export const CALL_COMMANDS = {
  /** Emits no event (docs/use/connection-api.md, "Changes"). Fails `call_not_found`. */
  "calls.reject": { effect: "change", input: z.object({ call_id: z.string(), from: Person }), output: nothing },
} as const satisfies Record<string, CommandRow>;
