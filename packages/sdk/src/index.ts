export { AccountClient, ConnectionClient, type InstanceClient } from "./clients.ts";
export type { ClientOptions, EventStream, Logger, PagePromise, RequestOptions } from "./core.ts";
export * from "./errors.ts";
export type * from "./generated/account.ts";
export type * from "./generated/connection.ts";
export { media } from "./media.ts";
export type { Page } from "./pages.ts";
export type { StreamedEvent } from "./stream.ts";
