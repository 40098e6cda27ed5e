// Sends typing states in the network's current form. The library still adds a sender, which the network now derives itself.
import type { SessionContext } from "../session/session-context.ts";

export type ChatState = "typing" | "recording" | "paused";

export function sendChatState({ sock }: Pick<SessionContext, "sock">, jid: string, state: ChatState): Promise<void> {
  const content = [{ tag: state === "paused" ? "paused" : "composing", attrs: state === "recording" ? { media: "audio" } : {} }];
  return sock.sendNode({ tag: "chatstate", attrs: { to: jid }, content });
}
