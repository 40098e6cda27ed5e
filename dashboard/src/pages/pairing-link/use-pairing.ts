// A pairing link's live state. The token is removed from the URL immediately. After a reload, the cookie replaces it.
import { useEffect, useState } from "react";
import { type ResponseBody, addressFor, api } from "../../api/client.ts";
import { useStream } from "../../api/live.ts";
import { Refused } from "../../api/refused.ts";

export type Link = NonNullable<ResponseBody<"GET /pairing">["data"]>;
export type Qr = { qr: string; expires_at: string };
export type Now = { status: NonNullable<Link["status"]>; reason: string; qr: Qr | null };

export type Pairing =
  | { at: "opening" | "none" | "done" }
  | { at: "refused"; refused: Refused }
  | { at: "ended"; why: NonNullable<Link["ended"]> }
  | { at: "working"; link: Link; now: Now; isLost: boolean };

/** A token in the URL is exchanged for a cookie, which later visits use. */
async function openLink(): Promise<Link | null> {
  const token = location.hash.slice(1);
  if (token === "") return (await api("GET /pairing", {})).data;
  const { data } = await api("POST /pairing", { token });
  history.replaceState(history.state, "", location.pathname);
  return data;
}

function stateOf(link: Link | null): Pairing {
  if (link === null) return { at: "none" };
  if (link.ended !== null || link.status === null) return { at: "ended", why: link.ended ?? "expired" };
  return { at: "working", link, now: { status: link.status, reason: link.status_reason ?? "", qr: null }, isLost: false };
}

async function read(open: () => Promise<Link | null>): Promise<Pairing> {
  try {
    return stateOf(await open());
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { at: "refused", refused: error };
  }
}

/** The stream's state is newer than a fetched one. A failed fetch must not replace the state that is shown. */
function afterReading(before: Pairing, now: Pairing): Pairing {
  if (before.at === "done") return before;
  if (before.at !== "working") return now;
  if (now.at === "working") return { ...before, link: now.link };
  if (now.at === "refused" && now.refused.status !== 401) return before;
  return now.at === "ended" && now.why === "used" ? { at: "done" } : now;
}

const readAgain = () => read(async () => (await api("GET /pairing", {})).data);

export function usePairing(): { pairing: Pairing; again: () => void } {
  const [pairing, setPairing] = useState<Pairing>({ at: "opening" });
  useEffect(() => {
    const open = () => void read(openLink).then((now) => setPairing((before) => afterReading(before, now)));
    // A new fragment means that another link was pasted into the same window.
    const changed = () => {
      if (location.hash === "") return;
      setPairing({ at: "opening" });
      open();
    };
    open();
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);

  const stream = useStream(
    pairing.at === "working" ? addressFor("GET /pairing/stream", {}) : null,
    ["status", "qr"],
    ({ type, data }) => {
      setPairing((before) => {
        if (before.at !== "working") return before;
        if (type === "qr") return { ...before, now: { ...before.now, qr: data as Qr } };
        const { status, status_reason: reason } = data as { status: Now["status"]; status_reason: string };
        if (status === "connected") return { at: "done" };
        return { ...before, now: { status, reason, qr: status === "scan_qr" ? before.now.qr : null } };
      });
    },
    (state) => {
      // The stream ends every five minutes, or when the link does, so the state is read again.
      if (state === "lost") void readAgain().then((now) => setPairing((before) => afterReading(before, now)));
    },
  );

  return {
    pairing: pairing.at === "working" ? { ...pairing, isLost: stream === "lost" } : pairing,
    again: () => {
      setPairing({ at: "opening" });
      void read(openLink).then(setPairing);
    },
  };
}
