// The whole dashboard API. Worker and browser both derive their types from it.
import type { z } from "zod";
import { CONNECTION_CONTRACT, PAIRING_CONTRACT } from "./connections.ts";
import { ACCOUNT_KEY_CONTRACT, IDENTITY_CONTRACT, AUDIT_CONTRACT, SHARE_CONTRACT } from "./identity.ts";
import { ADMIN_CONTRACT } from "./admin.ts";
import { FLEET_CONTRACT } from "./fleet.ts";
import { DELIVERY_CONTRACT, KEY_CONTRACT, WEBHOOK_CONTRACT } from "./integrations.ts";
import { LOG_CONTRACT } from "./logs.ts";
import { MESSAGE_CONTRACT } from "./messages.ts";
import { NOW_CONTRACT } from "./now.ts";
import type { ContractRow, PathParameter, RouteName } from "./common.ts";

export const CONTRACT = {
  ...IDENTITY_CONTRACT,
  ...ACCOUNT_KEY_CONTRACT,
  ...CONNECTION_CONTRACT,
  ...SHARE_CONTRACT,
  ...PAIRING_CONTRACT,
  ...AUDIT_CONTRACT,
  ...KEY_CONTRACT,
  ...WEBHOOK_CONTRACT,
  ...DELIVERY_CONTRACT,
  ...LOG_CONTRACT,
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
