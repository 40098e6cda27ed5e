// Lists that are asked for again when the connection's stream says that they have something new.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { inTurn, type Turns } from "../domain/in-turn.ts";
import { refresh } from "./cache.ts";
import type { JsonRoute } from "./client.ts";
import { useFrames } from "./live.ts";

/** `everyMs`: not more often than that. */
export function useFresh(part: "requests" | "deliveries" | "events", names: readonly JsonRoute[], everyMs = 0): void {
  const again = useReadAgain(names, everyMs);
  useFrames(({ type, data }) => {
    // A stream begins with the status: nobody said what was new before it came back.
    const isPart = type === "changed" ? (data as { part: string }).part === part : type === "event" && part === "events";
    if (type === "status" || isPart) again();
  });
}

/** Answers what has these reads asked again. */
export function useReadAgain(names: readonly JsonRoute[], everyMs: number): () => void {
  const client = useQueryClient();
  const turns = useRef<Turns>(undefined);
  const again = useEffectEvent(() => refresh(client, names));
  useEffect(() => {
    // A busy number has something new before a slow network has answered: to begin anew each time would never end.
    const made = inTurn(() => again(), everyMs);
    turns.current = made;
    return () => made.stop();
  }, [everyMs]);
  return () => turns.current?.ask();
}
