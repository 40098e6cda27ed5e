import type { ConnectionComponents } from "../components.ts";

export function endStreams({
  listeners,
  eventStreams,
  watchers,
}: Pick<ConnectionComponents, "listeners" | "eventStreams" | "watchers">): void {
  for (const audience of [watchers, eventStreams, listeners]) audience.endAll();
}
