// "Typing" and its like, as the network wants them now: it knows who they are from. The library still says so.
import type { SessionContext } from "../session/session-context.ts";

export type ChatState = "typing" | "recording" | "paused";

export function sendChatState({ sock }: Pick<SessionContext, "sock">, jid: string, state: ChatState): Promise<void> {
  const content = [{ tag: state === "paused" ? "paused" : "composing", attrs: state === "recording" ? { media: "audio" } : {} }];
  return sock.sendNode({ tag: "chatstate", attrs: { to: jid }, content });
}
