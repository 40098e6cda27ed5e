// The whole dashboard API. Worker and browser both derive their types from it.
import type { z } from "zod";
import { ADMIN_CONTRACT } from "./admin.ts";
import { CHAT_CONTRACT } from "./chats.ts";
import { CONNECTION_CONTRACT } from "./connections.ts";
import { FLEET_CONTRACT } from "./fleet.ts";
import { IDENTITY_CONTRACT } from "./identity.ts";
import { KEY_CONTRACT } from "./keys.ts";
import { LOG_CONTRACT } from "./logs.ts";
import { MESSAGE_CONTRACT } from "./messages.ts";
import { NOTIFICATION_CONTRACT } from "./notifications.ts";
import { NOW_CONTRACT } from "./now.ts";
import { PAIRING_CONTRACT } from "./pairing.ts";
import { SHARE_CONTRACT } from "./shares.ts";
import { WEBHOOK_CONTRACT } from "./webhook.ts";
import type { ContractRow, PathParameter, RouteName } from "./common.ts";

export const CONTRACT = {
  ...IDENTITY_CONTRACT,
  ...KEY_CONTRACT,
  ...CONNECTION_CONTRACT,
  ...PAIRING_CONTRACT,
  ...SHARE_CONTRACT,
  ...NOTIFICATION_CONTRACT,
  ...WEBHOOK_CONTRACT,
  ...LOG_CONTRACT,
  ...CHAT_CONTRACT,
  ...MESSAGE_CONTRACT,
  ...ADMIN_CONTRACT,
  ...FLEET_CONTRACT,
  ...NOW_CONTRACT,
} as const satisfies Record<RouteName, ContractRow>;

export type Contract = typeof CONTRACT;
export type Route = keyof Contract;

export type JsonRoute = { [N in Route]: Contract[N]["response"] extends z.ZodType ? N : never }[Route];

type SchemaOf<N extends Route, K extends "query" | "body"> = Contract[N] extends Record<K, infer S extends z.ZodType> ? S : never;

/** The type of the input before defaults are applied. */
type Given<N extends Route, K extends "query" | "body"> = [SchemaOf<N, K>] extends [never] ? unknown : z.input<SchemaOf<N, K>>;

export type Request<N extends Route> = { [K in PathParameter<N>]: string | number } & Given<N, "query"> & Given<N, "body">;

export type ResponseBody<N extends JsonRoute> = Contract[N]["response"] extends infer S extends z.ZodType ? z.output<S> : never;

export type Parsed<N extends Route, K extends "query" | "body"> = [SchemaOf<N, K>] extends [never] ? unknown : z.output<SchemaOf<N, K>>;
