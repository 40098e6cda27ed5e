// Emails about proxies, for owners and administrators. They contain no address or credential.
import type { ProxyNews } from "./health.ts";

/** `connections` are the names of the recipient's connections on the proxy. `label` is shown only to administrators. */
export type ProxyNotice = { news: Exclude<ProxyNews, null>; label: string | null; assigned: number; connections: readonly string[] };

const MAX_NAMES = 50;

export function proxyMail(notices: readonly ProxyNotice[]): { subject: string; text: string } {
  const down = notices.filter(({ news }) => news === "down");
  const back = notices.filter(({ news }) => news === "back");
  const subject = down.length > 0 ? "Proxy fora do ar / Proxy down" : "Proxy de volta / Proxy back";
  const portuguese = [...down.map(downInPortuguese), ...back.map(backInPortuguese)];
  const english = [...down.map(downInEnglish), ...back.map(backInEnglish)];
  return { subject, text: [...portuguese, "---", ...english].join("\n\n") };
}

function downInPortuguese({ label, assigned, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `O proxy "${label}" não responde: três verificações seguidas falharam. Conexões que usam o proxy: ${assigned}.`,
    connections.length === 0
      ? null
      : `O proxy usado por estas conexões não responde, e elas não conseguem se conectar: ${named(connections, "e mais")}. Escolha outro proxy para elas, ou espere até que um administrador faça isso. Com outro proxy, elas se reconectam automaticamente, sem novo pareamento.`,
  );
}

function backInPortuguese({ label, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `O proxy "${label}" voltou a responder.`,
    connections.length === 0
      ? null
      : `O proxy usado por estas conexões voltou a responder: ${named(connections, "e mais")}. Se alguma parou por causa dele, clique em Reconectar.`,
  );
}

function downInEnglish({ label, assigned, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `The proxy "${label}" does not respond: three checks in a row have failed. Connections on it: ${assigned}.`,
    connections.length === 0
      ? null
      : `The proxy of these connections does not respond, so they cannot connect: ${named(connections, "and")}. Choose another proxy for them, or wait until an administrator does. With another proxy they reconnect on their own, without pairing again.`,
  );
}

function backInEnglish({ label, connections }: ProxyNotice): string {
  return paragraphs(
    label === null ? null : `The proxy "${label}" responds again.`,
    connections.length === 0
      ? null
      : `The proxy of these connections responds again: ${named(connections, "and")}. If one of them stopped because of it, click Reconnect.`,
  );
}

function named(connections: readonly string[], and: string): string {
  const shown = connections.slice(0, MAX_NAMES).map((name) => `"${name}"`);
  const rest = connections.length - shown.length;
  return shown.join(", ") + (rest > 0 ? ` ${and} ${rest}` : "");
}

function paragraphs(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join("\n");
}
