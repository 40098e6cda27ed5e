import { Outlet, useParams, useRouter } from "@tanstack/react-router";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, useEffect } from "react";
import { addressFor, type ResponseBody, reading } from "../api/client.ts";
import { Refused } from "../api/refused.ts";
import { type Frame, emitFrame, emitState, useStream } from "../api/live.ts";
import { NotFound } from "./page-error.tsx";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { Failed, Loading } from "../ui/states.tsx";

type Status = Pick<ResponseBody<"GET /connections/{id}">["data"], "status" | "status_reason" | "phone">;

/** The pages in a phone's navigation bar, whose code is loaded early. Phones have no pointer that shows which page is opened next. */
const NEXT = ["/", "/chats", "/integrations", "/deliveries"] as const;
const NEXT_AFTER_MS = 1_500;

export function ConnectionFrame() {
  const { id } = useParams({ from: "/in/connections/$id" });
  const texts = useTexts(SHELL);
  const client = useQueryClient();
  const record = useQuery(reading("GET /connections/{id}", { id }));
  const known = record.data?.data.id === Number(id);
  const stream = useStream(
    known ? addressFor("GET /connections/{id}/stream", { id }) : null,
    ["status", "qr", "history", "event", "changed", "reset"],
    (frame: Frame) => {
      emitFrame(frame);
      if (frame.type !== "status") return;
      const { queryKey } = reading("GET /connections/{id}", { id });
      const frameStatus = frame.data as Status;
      const known = client.getQueryData(queryKey)?.data;
      const isNews = known?.status !== frameStatus.status || known.status_reason !== frameStatus.status_reason;
      client.setQueryData(queryKey, (before) => before && { data: { ...before.data, ...frameStatus } });
      // Refetches, because a frame contains only the status, and a fetch that is already running may return an older state.
      if (isNews || client.isFetching({ queryKey }) > 0) void client.invalidateQueries({ queryKey });
    },
    emitState,
  );
  const router = useRouter();
  useEffect(() => {
    const load = () => Promise.allSettled(NEXT.map(async (page) => router.loadRouteChunk(router.routesById[`/in/connections/$id${page}`])));
    const later = setTimeout(() => void load(), NEXT_AFTER_MS);
    return () => clearTimeout(later);
  }, [router]);
  const { error, refetch } = record;
  // A stream also ends when the user loses access, which the refetch then detects.
  useEffect(() => {
    if (stream === "lost") void refetch();
  }, [stream, refetch]);
  if (error instanceof Refused && (error.code === "instance_not_found" || error.code === "validation_error")) return <NotFound />;
  if (!known) return error === null ? <Loading /> : <Failed refused={error} onAgain={() => record.refetch()} busy={record.isFetching} />;
  return (
    <>
      {stream === "lost" && (
        <p role="status" className="appear-later text-sm text-attention">
          {texts.streamLost}
        </p>
      )}
      {/* The key resets all state when another connection is opened. */}
      <Fragment key={id}>
        <Outlet />
      </Fragment>
    </>
  );
}
