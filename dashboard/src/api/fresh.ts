// Refetches lists when the connection's stream reports changes.
import { useEffect, useEffectEvent, useRef } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { refresh } from "./cache.ts";
import { coalesced, type Coalesced } from "../domain/coalesce.ts";
import type { JsonRoute } from "./client.ts";
import { useFrames } from "./live.ts";

/** `everyMs` is the minimum interval between two refetches. */
export function useFresh(part: "requests" | "deliveries" | "waiting" | "events", names: readonly JsonRoute[], everyMs = 0): void {
  const again = useReadAgain(names, everyMs);
  useFrames(({ type, data }) => {
    // A status frame starts each stream. Earlier changes were not reported, so the lists are refetched.
    const isPart = type === "changed" ? (data as { part: string }).part === part : type === "event" && part === "events";
    if (type === "status" || isPart) again();
  });
}

export function useReadAgain(names: readonly JsonRoute[], everyMs: number): () => void {
  const client = useQueryClient();
  const action = useRef<Coalesced>(undefined);
  const again = useEffectEvent(() => refresh(client, names));
  useEffect(() => {
    // Coalesced, because a fetch that restarts on every change might never finish.
    const made = coalesced(() => again(), everyMs);
    action.current = made;
    return () => made.stop();
  }, [everyMs]);
  return () => action.current?.request();
}
