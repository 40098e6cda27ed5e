// Lists that are asked for again when the connection's stream says that they have something new.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { refresh } from "./cache.ts";
import type { JsonRoute } from "./client.ts";
import { useFrames } from "./live.ts";

/** `everyMs`: not more often than that. */
export function useFresh(part: "requests" | "deliveries", names: readonly JsonRoute[], everyMs = 0): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  const again = useEffectEvent(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refresh(client, names);
    }, everyMs);
  });
  useFrames(({ type, data }) => {
    // A stream begins with the status: nobody said what was new before it came back.
    if (type === "status" || (type === "changed" && (data as { part: string }).part === part)) again();
  });
}
