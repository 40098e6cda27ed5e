export { AccountClient, ConnectionClient, type Events, type InstanceClient } from "./clients.ts";
export * from "./errors.ts";
export type * from "./generated/account.ts";
export type * from "./generated/connection.ts";
export type { Checkpoint, GapEvent, ListenOptions, ListenState, ListenerPlace, RawEvent } from "./listen.ts";
export { media } from "./media.ts";
export type { ClientOptions, Logger, RequestOptions } from "./options.ts";
export type { Page, PagePromise } from "./pages.ts";
export type { EventStream, StreamedEvent } from "./stream.ts";
