// The gateway's interface for the tools. Every call uses the key of the request.
import type { AssistantPolicy } from "@gateway/protocol/assistant.ts";
import type { AppContext } from "../http/app-env.ts";

/** `response` is the Connection API's refusal. */
export type Asked<T> = { ok: true; value: T } | { ok: false; response: Response };

/** `scopes` is null for all scopes. */
export type Rights = { scopes: readonly string[] | null; policy: AssistantPolicy };

export type Arrived = { message_id: string; chat_id: string };

/** `first` is the first message that arrives after this call, or null if none arrives in time. */
export type Arrival = { first: Promise<Arrived | null>; stop: () => void };

/** `link` is for a client without forms. It has the id of the page on which a person decides, and the change as that page shows it. */
type Change = {
  chat_id: string | null;
  request_id: string;
  confirmed: boolean;
  link: { id: string; tool: string; given: Record<string, string> } | null;
};

/**
 * With `ask`, a person must confirm in a form. On the link's page, nobody has decided yet (`waiting`), or somebody declined (`declined`).
 * `full` means too many waiting changes, `recipient` a chat that the policy forbids, and `pace` a wait of `retry_after` seconds.
 */
export type Verdict = {
  verdict: "allowed" | "ask" | "waiting" | "declined" | "full" | "recipient" | "pace";
  name: string | null;
  phone: string | null;
  retry_after: number | null;
  connection_id: number;
};

export type Port = {
  callApi: (request: Request, c: AppContext) => Promise<Response>;
  rights: (c: AppContext) => Promise<Asked<Rights>>;
  /** Decides whether a change is allowed, and counts it if it is. */
  admit: (c: AppContext, change: Change) => Promise<Asked<Verdict>>;
  /** A null `chatId` stands for any chat. */
  arrival: (c: AppContext, chatId: string | null, ms: number) => Promise<Arrival>;
};
