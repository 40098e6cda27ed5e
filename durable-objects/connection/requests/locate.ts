// Identifies a request, message or delivery by its id, for the administrators' search. Never returns message text.
import type { Located } from "#root/src/services/connections/stub.ts";
import type { ConnectionComponents } from "../components.ts";

export function locate({ requests, stores, deliveries }: ConnectionComponents, id: string, now: number): Located | null {
  const request = requests.find(id.toLowerCase(), now);
  if (request.ok) {
    const { at, method, route, status, code } = request.value;
    return { kind: "request", at, title: `${method} ${route}`, detail: code === null ? String(status) : `${status} ${code}` };
  }
  const message = stores.messageQueries.get(id, null);
  if (message !== null) {
    const { timestamp, type, status, failure } = message;
    return { kind: "message", at: timestamp * 1_000, title: type, detail: failure?.code ?? status };
  }
  const delivery = deliveries.history.locate(id, now);
  if (delivery === null) return null;
  const { at, event, status, error } = delivery;
  return { kind: "delivery", at, title: event, detail: error === null ? status : `${status} ${error}` };
}
