// Receives server-sent events until half a minute after the page is hidden. The first frame contains the current state.
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from "react";
import { useIsLeaving } from "./cache.ts";

const HIDDEN_MS = 30_000;

/** `id` is the event's id, after which a stream can resume. It is an empty string if the stream's events have no ids. */
export type Frame = { type: string; data: unknown; id: string };

/** "lost": the stream is reconnecting. "asleep": it is closed because the page is hidden. */
export type StreamState = "opening" | "open" | "lost" | "asleep";

export type StreamHandlers = {
  onFrame: (frame: Frame) => void;
  onState: (state: StreamState) => void;
};

export function openStream(
  addressAfter: (lastId: string) => string,
  types: readonly string[],
  { onFrame, onState }: StreamHandlers,
): () => void {
  let source: EventSource | null = null;
  let lastId = "";
  let sleep: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const open = () => {
    clearTimeout(again);
    source?.close();
    onState("opening");
    const opened = new EventSource(addressAfter(lastId));
    source = opened;
    opened.addEventListener("open", () => onState("open"));
    opened.addEventListener("error", () => {
      onState("lost");
      // Browsers reconnect automatically, unless the response was an error.
      if (opened.readyState === EventSource.CLOSED) again = setTimeout(open, 5_000);
    });
    for (const type of types) {
      opened.addEventListener(type, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>;
        if (lastEventId !== "") lastId = lastEventId;
        onFrame({ type, data: JSON.parse(data) as unknown, id: lastEventId });
      });
    }
  };
  const close = (state: StreamState) => {
    clearTimeout(again);
    source?.close();
    source = null;
    onState(state);
  };
  const seen = () => {
    clearTimeout(sleep);
    if (document.visibilityState === "hidden") sleep = setTimeout(() => close("asleep"), HIDDEN_MS);
    else if (source === null) open();
  };
  document.addEventListener("visibilitychange", seen);
  open();
  seen();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    clearTimeout(sleep);
    clearTimeout(again);
    source?.close();
  };
}

/** `address` is null until it is known. The stream is closed while a request that ends the user's own access is in flight. */
export function useStream(
  address: string | null,
  types: readonly string[],
  onFrame: (frame: Frame) => void,
  onState: (state: StreamState) => void = () => undefined,
): StreamState {
  const [state, setState] = useState<StreamState>("opening");
  const take = useEffectEvent(onFrame);
  const changed = useEffectEvent((now: StreamState) => {
    setState(now);
    onState(now);
  });
  const wanted = types.join(" ");
  const leaving = useIsLeaving();
  useEffect(() => {
    if (address === null || leaving) return undefined;
    const after = (lastId: string) =>
      lastId === "" ? address : `${address}${address.includes("?") ? "&" : "?"}last_event_id=${encodeURIComponent(lastId)}`;
    return openStream(after, wanted.split(" "), { onFrame: (frame) => take(frame), onState: (now) => changed(now) });
  }, [address, wanted, leaving]);
  return state;
}

type FrameListener = (frame: Frame) => void;
const frameListeners = new Set<FrameListener>();

/** Called by the open connection's component, whose pages share one stream. */
export function emitFrame(frame: Frame): void {
  for (const listener of frameListeners) listener(frame);
}

let openState: StreamState = "opening";
const stateListeners = new Set<(state: StreamState) => void>();

export function emitState(state: StreamState): void {
  openState = state;
  for (const listener of stateListeners) listener(state);
}

/** Subscribes to the stream of the open connection. Returns its state. */
export function useFrames(onFrame: FrameListener, onState: (state: StreamState) => void = () => undefined): StreamState {
  const take = useEffectEvent(onFrame);
  const changed = useEffectEvent(onState);
  useEffect(() => {
    const listener: FrameListener = (frame) => take(frame);
    const stateListener = (state: StreamState) => changed(state);
    frameListeners.add(listener);
    stateListeners.add(stateListener);
    return () => {
      frameListeners.delete(listener);
      stateListeners.delete(stateListener);
    };
  }, []);
  return useSyncExternalStore(subscribeState, () => openState);
}

function subscribeState(changed: () => void): () => void {
  stateListeners.add(changed);
  return () => stateListeners.delete(changed);
}
